import Anabranch
import Foundation

/// Takes the change sets of bundles into a store.
struct BundleApplyCommand: Command {
    static let specification = CommandSpecification(
        name: "bundle apply",
        summary: "Takes in bundles, in any order.",
        discussion: [
            "Each bundle is checked before anything of it is taken in. A change set whose author "
                + "had others that the store lacks waits in the store until they come, by a "
                + "bundle or a sync. The next sync sends the zone what it lacks.",
            "With --key-ring every bundle has to be sealed with one of its keys: plain text, which "
                + "anybody may have put in its place, is refused.",
            "Where ANABRANCH_STORE names the store every word is a bundle; --store names another "
                + "store.",
        ],
        arguments: [
            .store,
            ArgumentSpecification(
                "FILE", "Bundles; one taken in twice harms not.", isRepeated: true, isFile: true),
        ],
        options: [.keyRing("Opens sealed bundles with the keys in FILE."), .json],
        examples: [
            .init("bundle apply geo.store monday.bundle tuesday.bundle", "Takes in two."),
            .init(
                "bundle apply geo.store monday.bundle --key-ring family.keys",
                "Takes in a sealed one."),
        ])

    let path: String
    let files: [String]
    let keyRing: String?
    let isJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        path = try arguments.word("STORE")
        files = arguments.allWords("FILE")
        keyRing = arguments.text("key-ring")
        isJSON = arguments.isSet("json")
    }

    func run(_ console: Console) async throws {
        let keyRing = try BundleKeyRing.named(keyRing)
        let container = try StoreFile.open(path, for: .writing)
        defer { container.coordinator.close() }
        for file in files {
            let outcome = try await container.coordinator.importBundle(
                from: URL(fileURLWithPath: file), openedWith: keyRing)
            try console.print(isJSON ? json(file, outcome) : text(file, outcome))
        }
    }

    private func text(_ file: String, _ outcome: ChangeBundle.Outcome) -> String {
        let applied = Quantity.text(outcome.appliedCount, "change set")
        var text = "\(file): applied \(applied), \(outcome.heldCount) already held"
        if outcome.waitingCount > 0 {
            text += "; \(Quantity.text(outcome.waitingCount, "change set")) wait for others"
        }
        return text + "."
    }

    private func json(_ file: String, _ outcome: ChangeBundle.Outcome) -> String {
        JSONText.object { json in
            json.member("file", file)
            json.member("applied", outcome.appliedCount)
            json.member("held", outcome.heldCount)
            json.member("waiting", outcome.waitingCount)
        }
    }
}
