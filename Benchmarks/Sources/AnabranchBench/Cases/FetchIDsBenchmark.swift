import Anabranch

/// Finds the IDs of four fifths of all objects by an indexed attribute.
struct FetchIDsBenchmark: Benchmark {
    static let name = "fetch-ids"
    static let summary = "IDs of the objects that a predicate finds by an index"

    func figures(_ workbench: Workbench) async throws -> [Figure] {
        let data = workbench.data
        let expected = data.ages.count { (100...899).contains($0) }
        try RawPeople(path: workbench.path("raw")).insert(data)
        _ = try PersonStore.open(workbench.path("store"), filledWith: data)
        let times = try await Rounds(count: workbench.rounds).compare { _ in
            let people = try RawPeople(path: workbench.path("raw"), isNew: false)
            return try ContinuousClock().measure {
                let found = try people.ids(agesFrom: 100, to: 899)
                guard found.count == expected else { throw Unexpected("\(found.count) are found") }
            }
        } ours: { _ in
            let container = try PersonStore.open(workbench.path("store"))
            return try container.newBackgroundContext().performAndWait { context in
                // The first read opens a connection, which the raw side has already.
                var first = FetchRequest<Person>()
                first.fetchLimit = 1
                _ = try context.objectIDs(for: first)
                return try ContinuousClock().measure {
                    var request = FetchRequest<Person>()
                    request.predicate = try FetchPredicate(
                        "(age >= %d) AND (age <= %d)", 100, 899)
                    let found = try context.objectIDs(for: request)
                    guard found.count == expected else {
                        throw Unexpected("\(found.count) are found")
                    }
                }
            }
        }
        return [
            .share(
                "fetch of IDs by a predicate", rows: expected, times, goal: 0.95,
                cause: """
                    An ID names its store and entity beside its number, so the list is twice as
                    long, in memory that is new.
                    """)
        ]
    }
}
