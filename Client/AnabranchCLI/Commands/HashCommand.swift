import Anabranch

/// Prints the canonical hash of a store's state.
struct HashCommand: Command {
    static let specification = CommandSpecification(
        name: "hash", summary: "Prints the canonical hash of a store's state.",
        discussion: [
            "A store and its zone have the same hash exactly if they hold the same change sets. "
                + "'anabranchd zone hash' prints the zone's hash."
        ],
        options: [.json], examples: [.init("hash geo.store", "Prints 64 hexadecimal digits.")])

    let path: String
    let isJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        path = try arguments.word("STORE")
        isJSON = arguments.isSet("json")
    }

    func run(_ console: Console) async throws {
        let container = try StoreFile.open(path, for: .reading)
        defer { container.coordinator.close() }
        let hash = try container.coordinator.canonicalHash()
        try console.print(isJSON ? JSONText.object { $0.member("hash", hash) } : hash)
    }
}
