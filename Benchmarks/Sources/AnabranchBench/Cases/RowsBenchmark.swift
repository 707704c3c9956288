import Anabranch
import CRawSQLite

/// Counts and sums the objects of each group.
struct RowsBenchmark: Benchmark {
    static let name = "rows"
    static let summary = "objects grouped by an attribute, counted and summed"

    private static let sql = """
        SELECT age, count(*), sum(age), max(firstName) FROM Person GROUP BY age
        """

    func figures(_ workbench: Workbench) async throws -> [Figure] {
        let data = workbench.data
        let expected = Set(data.ages).count
        try RawPeople(path: workbench.path("raw")).insert(data)
        _ = try PersonStore.open(workbench.path("store"), filledWith: data)
        var request = RowRequest<Person>()
        request.propertiesToFetch = ["age", .count(), .sum("age"), .maximum("firstName")]
        request.propertiesToGroupBy = ["age"]
        let times = try await Rounds(count: workbench.rounds).compare { _ in
            let people = try RawPeople(path: workbench.path("raw"), isNew: false)
            return try ContinuousClock().measure {
                let count = try Self.readGroups(of: people.database)
                guard count == expected else { throw Unexpected("there are \(count) groups") }
            }
        } ours: { [request] _ in
            let container = try PersonStore.open(workbench.path("store"))
            return try container.newBackgroundContext().performAndWait { context in
                try ContinuousClock().measure {
                    let count = try context.fetch(request).count
                    guard count == expected else { throw Unexpected("there are \(count) groups") }
                }
            }
        }
        return [
            .share(
                "rows of groups", rows: workbench.rows, times, goal: 0.8,
                cause: "Sums of integers are those of their halves, so that they have no bound.")
        ]
    }

    private static func readGroups(of database: RawDatabase) throws -> Int {
        let statement = try database.prepare(sql)
        defer { sqlite3_finalize(statement) }
        var groups: [(Int64, Int64, Int64, String)] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            groups.append(
                (
                    sqlite3_column_int64(statement, 0), sqlite3_column_int64(statement, 1),
                    sqlite3_column_int64(statement, 2),
                    String(cString: sqlite3_column_text(statement, 3))
                ))
        }
        return groups.count
    }
}
