import Anabranch
import Foundation

/// Applies the change sets of bundles to a store.
struct BundleApplyCommand: Command {
    static let specification = CommandSpecification(
        name: "bundle apply",
        summary: "Applies bundles to a store, in any order.",
        discussion: [
            "Each bundle is checked before it is applied. If the store lacks a change set that "
                + "the author of another one had, the later one waits in the store until the "
                + "missing one arrives, by a bundle or a sync. The next sync sends the applied "
                + "change sets to the zone, if the zone lacks them.",
            "With --key-ring every bundle must be sealed with one of the keys in FILE. An "
                + "unsealed bundle is refused, because anyone could have written it.",
            "If ANABRANCH_STORE names the store, every word is a bundle. --store names another "
                + "store.",
        ],
        arguments: [
            .store,
            ArgumentSpecification(
                "FILE", "The bundles. Applying a bundle twice has no effect.", isRepeated: true,
                isFile: true),
        ],
        options: [.keyRing("Opens sealed bundles with the keys in FILE."), .json],
        examples: [
            .init("bundle apply geo.store monday.bundle tuesday.bundle", "Applies two bundles."),
            .init(
                "bundle apply geo.store monday.bundle --key-ring family.keys",
                "Applies a sealed bundle."),
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
            let waiting = Quantity.text(outcome.waitingCount, "change set")
            let verb = outcome.waitingCount == 1 ? "waits" : "wait"
            text += "; \(waiting) \(verb) for missing change sets"
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
