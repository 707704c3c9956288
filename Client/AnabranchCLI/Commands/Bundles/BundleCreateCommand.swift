import Anabranch
import Foundation

/// Writes a store's change sets into a file.
struct BundleCreateCommand: Command {
    static let specification = CommandSpecification(
        name: "bundle create",
        summary: "Writes change sets into a file, for a store that no server reaches.",
        discussion: [
            "Without --since the bundle has everything. With it, it lacks what whoever gets it "
                + "has already. BASE is another bundle, and stands for what its sender had; a "
                + "vector, as 'anabranch status --json' prints it; or a replica ID, and stands "
                + "for what that replica had at the last of its saves that this store has.",
            "With --key-ring the bundle is sealed with the newest key in FILE: who lacks that key "
                + "reads nothing of it but which key it is, and can change nothing unnoticed.",
        ],
        arguments: [
            .store,
            ArgumentSpecification(
                "FILE", "The bundle. One that is there goes; no other file does.", isFile: true),
        ],
        options: [
            OptionSpecification("since", "BASE", "Leaves out what BASE says is held."),
            .keyRing("Seals the bundle with the newest key in FILE, and opens BASE."), .json,
        ],
        examples: [
            .init("bundle create geo.store all.bundle", "Everything."),
            .init(
                "bundle create geo.store answer.bundle --since theirs.bundle",
                "What the sender of theirs.bundle lacks."),
            .init(
                "bundle create geo.store all.bundle --key-ring family.keys",
                "Everything, for those who have the keys."),
        ])

    let path: String
    let file: String
    let base: String?
    let keyRing: String?
    let isJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        path = try arguments.word("STORE")
        file = try arguments.word("FILE")
        base = arguments.text("since")
        keyRing = arguments.text("key-ring")
        guard keyRing.map(Self.resolved) != Self.resolved(file) else {
            throw arguments.error("The bundle can't take the place of the key ring '\(file)'.")
        }
        guard Self.resolved(path) != Self.resolved(file) else {
            throw arguments.error(
                "The bundle can't take the place of the store '\(file)'. Name a file for it.")
        }
        isJSON = arguments.isSet("json")
    }

    func run(_ console: Console) async throws {
        let keyRing = try BundleKeyRing.named(keyRing)
        let container = try StoreFile.open(path, for: .writing)
        defer { container.coordinator.close() }
        let bundle = try container.coordinator.exportBundle(
            to: URL(fileURLWithPath: file), lacking: try readBase(keyRing), sealedWith: keyRing)
        guard !isJSON else { return try console.print(BundleText(bundle).json()) }
        try console.print(
            "Wrote \(Quantity.text(bundle.changeSetCount, "change set")), "
                + "\(Quantity.bytes(bundle.byteCount)), to \(file)"
                + (bundle.sealingKey.map { ", sealed with the key \($0)." } ?? "."))
    }

    private static func resolved(_ path: String) -> String {
        URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    }

    private func readBase(_ keyRing: BundleKeyRing?) throws -> ChangeBundle.Base {
        guard let base else { return .nothing }
        if FileManager.default.fileExists(atPath: base) {
            return try .sender(of: URL(fileURLWithPath: base), openedWith: keyRing)
        }
        if let replica = ReplicaID(base) { return .replica(replica) }
        guard let vector = VectorText.vector(base) else {
            throw UsageError(
                "--since takes a bundle, a vector as REPLICA:NUMBER,… or a replica ID; there is "
                    + "no file '\(base)'.", command: Self.specification.name)
        }
        return .vector(vector)
    }
}
