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
                + "for what that replica had at the last of its saves that this store has."
        ],
        arguments: [
            .store,
            ArgumentSpecification("FILE", "The bundle. One that is there goes.", isFile: true),
        ],
        options: [
            OptionSpecification("since", "BASE", "Leaves out what BASE says is held."), .json,
        ],
        examples: [
            .init("bundle create geo.store all.bundle", "Everything."),
            .init(
                "bundle create geo.store answer.bundle --since theirs.bundle",
                "What the sender of theirs.bundle lacks."),
        ])

    let path: String
    let file: String
    let base: String?
    let isJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        path = try arguments.word("STORE")
        file = try arguments.word("FILE")
        base = arguments.text("since")
        isJSON = arguments.isSet("json")
    }

    func run(_ console: Console) async throws {
        let container = try StoreFile.open(path, for: .writing)
        defer { container.coordinator.close() }
        let bundle = try container.coordinator.exportBundle(
            to: URL(fileURLWithPath: file), lacking: try readBase())
        guard !isJSON else { return try console.print(BundleText(bundle).json()) }
        try console.print(
            "Wrote \(Quantity.text(bundle.changeSetCount, "change set")), "
                + "\(Quantity.bytes(bundle.byteCount)), to \(file).")
    }

    private func readBase() throws -> ChangeBundle.Base {
        guard let base else { return .nothing }
        if FileManager.default.fileExists(atPath: base) {
            return try .sender(of: URL(fileURLWithPath: base))
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
