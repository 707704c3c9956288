import Anabranch
import Foundation

/// Writes a store's change sets to a bundle file.
struct BundleCreateCommand: Command {
    static let specification = CommandSpecification(
        name: "bundle create",
        summary: "Writes change sets to a bundle file, to sync stores without a server.",
        discussion: [
            "Without --since the bundle contains every change set. With --since BASE it omits the "
                + "change sets that the receiver already has. BASE is one of three: another "
                + "bundle means everything that its sender had; a vector, as 'anabranch status "
                + "--json' prints it, means the change sets of that vector; a replica ID means "
                + "everything that this replica had at its last save in this store.",
            "With --key-ring the bundle is sealed with the newest key in FILE. Without that key, "
                + "only the ID of the key can be read, and no change stays unnoticed.",
        ],
        arguments: [
            .store,
            ArgumentSpecification(
                "FILE",
                "The bundle to write. An existing bundle is replaced, any other file is "
                    + "not.", isFile: true),
        ],
        options: [
            OptionSpecification("since", "BASE", "Omits the change sets that BASE contains."),
            .keyRing("Seals the bundle with the newest key in FILE; also opens a sealed BASE."),
            .json,
        ],
        examples: [
            .init("bundle create geo.store all.bundle", "Writes all change sets."),
            .init(
                "bundle create geo.store answer.bundle --since theirs.bundle",
                "Writes what the sender of theirs.bundle lacks."),
            .init(
                "bundle create geo.store all.bundle --key-ring family.keys",
                "Writes all change sets, readable only with a key of the ring."),
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
            throw arguments.error(
                "The bundle can't replace the key ring '\(file)'. Choose "
                    + "another file.")
        }
        guard Self.resolved(path) != Self.resolved(file) else {
            throw arguments.error(
                "The bundle can't replace the store '\(file)'. Choose another file.")
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
                "--since takes a bundle, a vector as REPLICA:NUMBER,… or a replica ID. There is "
                    + "no file '\(base)'.", command: Self.specification.name)
        }
        return .vector(vector)
    }
}
