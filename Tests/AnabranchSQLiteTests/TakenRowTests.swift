import AnabranchSQLite
import Testing

struct TakenRowTests {
    private struct Refusal: Error, Equatable { let number: Int64 }

    private func connection() throws -> Connection {
        let connection = try Connection(path: ":memory:")
        try connection.execute(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, data BLOB, size REAL);
            INSERT INTO t VALUES
                (1, 'a', x'00ff', 0.5), (2, 'b' || char(0) || 'c', x'', NULL), (3, '', NULL, -1e9);
            """)
        return connection
    }

    private func rows(_ row: UnsafeRow) -> [SQLiteValue] {
        [
            .integer(row[0].int64), row[1].isNull ? .null : .text(row[1].string),
            row[2].isNull ? .null : .blob(row[2].bytes),
            row[3].isNull ? .null : .real(row[3].double),
        ]
    }

    @Test func `rows are taken as they are returned`() throws {
        let connection = try connection()
        let columns = ["id", "name", "data", "size"]
        let taking = try #require(Statement.takingRows(of: columns))
        var (taken, returned): ([[SQLiteValue]], [[SQLiteValue]]) = ([], [])
        let before = connection.statistics
        try connection.prepare("SELECT \(taking) FROM t").takeRows { taken.append(rows($0)) }
        #expect((connection.statistics - before).rows == 3)
        try connection.prepare("SELECT id, name, data, size FROM t").forEachRow {
            returned.append(rows($0))
        }
        #expect(taken.count == 3)
        #expect(taken == returned)
        #expect(taken[1] == [2, .text("b\0c"), .blob([]), .null])
    }

    @Test func `an error of the body ends the run and reaches the caller as it is`() throws {
        let connection = try connection()
        let statement = try connection.prepare("SELECT take_row(id) FROM t")
        var ids: [Int64] = []
        for _ in 1...2 {
            ids = []
            #expect(throws: Refusal(number: 2)) {
                try statement.takeRows { row in
                    ids.append(row[0].int64)
                    if row[0].int64 == 2 { throw Refusal(number: 2) }
                }
            }
            #expect(ids == [1, 2])
        }
        try statement.takeRows { ids.append($0[0].int64) }
        #expect(ids == [1, 2, 1, 2, 3])
    }

    @Test func `a body may take rows of other statements`() throws {
        let connection = try connection()
        var pairs: [[Int64]] = []
        try connection.cached("SELECT take_row(id) FROM t WHERE id < 3").takeRows { outer in
            let id = outer[0].int64
            try connection.cached("SELECT take_row(id) FROM t").takeRows {
                pairs.append([id, $0[0].int64])
            }
            // The outer row is still there.
            #expect(outer[0].int64 == id)
        }
        #expect(pairs == [[1, 1], [1, 2], [1, 3], [2, 1], [2, 2], [2, 3]])
    }

    @Test func `no rows are taken from nothing`() throws {
        let connection = try connection()
        let before = connection.statistics
        try connection.prepare("SELECT take_row(id) FROM t WHERE id > 3").takeRows { _ in
            Issue.record("There is no row.")
        }
        #expect((connection.statistics - before).rows == 0)
    }

    @Test func `a failing statement throws its own error`() throws {
        let connection = try connection()
        let statement = try connection.prepare("SELECT take_row(abs(-9223372036854775808)) FROM t")
        let error = try #require(throws: SQLiteError.self) { try statement.takeRows { _ in } }
        #expect(error.message.contains("integer overflow"))
    }

    @Test func `nothing takes rows outside of a run`() throws {
        let connection = try connection()
        let error = try #require(throws: SQLiteError.self) {
            try connection.run("SELECT take_row(id) FROM t")
        }
        #expect(error.message.contains("running query"))
        try connection.execute("CREATE VIEW v AS SELECT take_row(id) FROM t")
        #expect(throws: SQLiteError.self) { try connection.prepare("SELECT * FROM v") }
    }

    @Test func `more columns than a function takes are returned`() throws {
        let connection = try connection()
        let widest = try #require(Statement.takingRows(of: (0..<120).map(String.init)))
        var sum: Int64 = 0
        try connection.prepare("SELECT \(widest)").takeRows { row in
            for column in 0..<120 { sum += row[column].int64 }
        }
        #expect(sum == 7140)
        #expect(Statement.takingRows(of: (0...120).map(String.init)) == nil)
    }
}
