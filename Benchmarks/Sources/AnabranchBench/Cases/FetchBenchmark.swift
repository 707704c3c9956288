import Anabranch

/// Fetches all objects into an empty context and reads all their attributes.
///
/// The raw side reads every column in SQLite's memory.
struct FetchBenchmark: Benchmark {
    static let name = "fetch"
    static let summary = "all objects fetched, every one of three attributes read"

    func figures(_ workbench: Workbench) async throws -> [Figure] {
        let data = workbench.data
        try RawPeople(path: workbench.path("raw")).insert(data)
        _ = try PersonStore.open(workbench.path("store"), filledWith: data)
        let times = try await Rounds(count: workbench.rounds).compare { _ in
            let people = try RawPeople(path: workbench.path("raw"), isNew: false)
            return try ContinuousClock().measure {
                guard try people.readAll() > 0 else { throw Unexpected("no rows were read") }
            }
        } ours: { _ in
            let container = try PersonStore.open(workbench.path("store"))
            return try container.newBackgroundContext().performAndWait { context in
                // The objects outlive the measurement, as in an app.
                var people: [Person] = []
                return try ContinuousClock().measure {
                    people = try context.fetch(FetchRequest<Person>())
                    let sum = people.reduce(0) { $0 &+ $1.checksum }
                    guard people.count == data.count, sum > 0 else {
                        throw Unexpected("\(people.count) objects were fetched")
                    }
                }
            }
        }
        return [
            .share(
                "fetch of all, 3 attributes read", rows: workbench.rows, times, goal: 0.6,
                cause: """
                    SQLite takes a third of the time, as much as on the raw side. Texts take a
                    sixth, the memory of objects and slots an eighth, handing rows on a tenth, and
                    the accessors a sixteenth.
                    """)
        ]
    }
}
