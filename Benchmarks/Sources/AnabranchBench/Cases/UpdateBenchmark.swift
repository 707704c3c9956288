import Anabranch

/// Changes one attribute of objects that a context has registered, and saves.
struct UpdateBenchmark: Benchmark {
    static let name = "update"
    static let summary = "one attribute of registered objects changed and saved"

    func figures(_ workbench: Workbench) async throws -> [Figure] {
        let data = workbench.data
        let times = try await Rounds(count: workbench.rounds).compare { round in
            let people = try RawPeople(path: workbench.path("raw\(round)"))
            try people.insert(data)
            return try ContinuousClock().measure { try people.updateLastNames(data.firstUTF8) }
        } ours: { round in
            let path = workbench.path("store\(round)")
            _ = try PersonStore.open(path, filledWith: data)
            let container = try PersonStore.open(path)
            return try container.newBackgroundContext().performAndWait { context in
                let people = try context.fetch(FetchRequest<Person>())
                guard people.reduce(0, { $0 &+ $1.checksum }) > 0, people.count == data.count else {
                    throw Unexpected("\(people.count) objects were fetched")
                }
                return try ContinuousClock().measure {
                    for (row, person) in people.enumerated() {
                        person.lastName = data.firstNames[row]
                    }
                    try context.save()
                }
            }
        }
        return [
            .share(
                "one attribute changed and saved", rows: workbench.rows, times, goal: 0.7,
                cause: """
                    SQLite alone takes twice the raw time: the version of every row is compared and
                    written, and noting what was written makes rows longer, so that pages split.
                    The rest is noticing, comparing, checking and logging the changes.
                    """)
        ]
    }
}
