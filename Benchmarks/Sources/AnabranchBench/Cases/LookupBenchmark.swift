import Anabranch
import CRawSQLite

/// Finds objects by their IDs, one by one, and reads an attribute of each.
struct LookupBenchmark: Benchmark {
    static let name = "lookup"
    static let summary = "objects found by their IDs one by one, one attribute read"

    func figures(_ workbench: Workbench) async throws -> [Figure] {
        let data = workbench.data
        let rows = Array(stride(from: 0, to: data.count, by: max(data.count / 10_000, 1)))
        try RawPeople(path: workbench.path("raw")).insert(data)
        _ = try PersonStore.open(workbench.path("store"), filledWith: data)
        let times = try await Rounds(count: workbench.rounds).compare { _ in
            let people = try RawPeople(path: workbench.path("raw"), isNew: false)
            return try ContinuousClock().measure {
                let sum = try Self.sumOfAges(rows, in: people.database)
                guard sum > 0 else { throw Unexpected("no rows were read") }
            }
        } ours: { _ in
            let container = try PersonStore.open(workbench.path("store"))
            return try container.newBackgroundContext().performAndWait { context in
                var request = FetchRequest<Person>()
                request.sorts = [FetchSort("SELF")]
                let all = try context.objectIDs(for: request)
                let ids = rows.map { all[$0] }
                return try ContinuousClock().measure {
                    var sum: Int64 = 0
                    for id in ids { sum += context.object(with: id, as: Person.self)?.age ?? 0 }
                    guard sum > 0 else { throw Unexpected("no objects were read") }
                }
            }
        }
        return [
            .share(
                "look-up by ID", rows: rows.count, times, goal: 0.5,
                cause: "An object is made and registered, and its whole row is read.")
        ]
    }

    private static func sumOfAges(_ rows: [Int], in database: RawDatabase) throws -> Int64 {
        let statement = try database.prepare("SELECT age FROM Person WHERE pk = ?")
        defer { sqlite3_finalize(statement) }
        var sum: Int64 = 0
        for row in rows {
            sqlite3_bind_int64(statement, 1, Int64(row + 1))
            if sqlite3_step(statement) == SQLITE_ROW { sum += sqlite3_column_int64(statement, 0) }
            sqlite3_reset(statement)
        }
        return sum
    }
}
