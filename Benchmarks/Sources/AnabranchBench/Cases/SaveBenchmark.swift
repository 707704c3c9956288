import Anabranch

/// Inserts objects, sets their attributes and saves them, compared with one transaction of inserts.
struct SaveBenchmark: Benchmark {
    static let name = "save"
    static let summary = "new objects with three attributes set, saved in one go"

    func figures(_ workbench: Workbench) async throws -> [Figure] {
        let data = workbench.data
        let times = try await Rounds(count: workbench.rounds).compare { round in
            let people = try RawPeople(path: workbench.path("raw\(round)"))
            return try ContinuousClock().measure { try people.insert(data) }
        } ours: { round in
            let container = try PersonStore.open(workbench.path("store\(round)"))
            return try container.newBackgroundContext().performAndWait { context in
                try ContinuousClock().measure { try PersonStore.insert(data, into: context) }
            }
        }
        return [
            .share(
                "save of new objects", rows: workbench.rows, times, goal: 0.7,
                cause: """
                    SQLite alone takes 1.1 times the raw time, because every row carries its
                    version and the change set is a row of the log. The rest is Swift: making and
                    setting objects, the request, the change set, binding, and validation.
                    """)
        ]
    }
}
