import Anabranch

/// Fetches objects with eight attributes, like the fetch of persons.
///
/// The raw side reads the same values from a table without further columns.
struct FetchWideBenchmark: Benchmark {
    static let name = "fetch-wide"
    static let summary = "all objects fetched, every one of eight attributes read"

    func figures(_ workbench: Workbench) async throws -> [Figure] {
        let data = workbench.data
        try ContactStore.fill(workbench.path("store"), with: data)
        try RawContacts.copy(from: workbench.path("store"), to: workbench.path("raw"))
        let times = try await Rounds(count: workbench.rounds).compare { _ in
            let contacts = try RawContacts(path: workbench.path("raw"))
            return try ContinuousClock().measure {
                guard try contacts.readAll() != 0 else { throw Unexpected("no rows were read") }
            }
        } ours: { _ in
            let container = try ContactStore.open(workbench.path("store"))
            return try container.newBackgroundContext().performAndWait { context in
                var contacts: [Contact] = []
                return try ContinuousClock().measure {
                    contacts = try context.fetch(FetchRequest<Contact>())
                    let sum = contacts.reduce(0) { $0 &+ $1.checksum }
                    guard contacts.count == data.count, sum != 0 else {
                        throw Unexpected("\(contacts.count) objects were fetched")
                    }
                }
            }
        }
        return [
            .share(
                "fetch of all, 8 attributes read", rows: workbench.rows, times, goal: 0.6,
                cause: """
                    Every value is handled twice: it becomes that of a slot, with its type, and an
                    accessor reads it from there. The objects and their texts stay in memory, where
                    the raw side drops each text at once.
                    """)
        ]
    }
}
