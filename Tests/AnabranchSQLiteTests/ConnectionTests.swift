import AnabranchSQLite
import Testing

struct ConnectionTests {
    @Test func `statistics count reads, writes, other statements and rows separately`() throws {
        let connection = try Connection(path: ":memory:")
        #expect(connection.statistics == ConnectionStatistics())
        try connection.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3)")
        try connection.transaction {
            _ = try connection.rows("/* all */ SELECT a FROM t")
            _ = try connection.rows("WITH n AS (SELECT 1) SELECT * FROM n")
            try connection.run("WITH n AS (SELECT 9) INSERT INTO t SELECT * FROM n")
            try connection.run("-- lower\n update t SET a = 0 RETURNING a")
        }
        _ = try connection.rows("PRAGMA user_version")
        _ = try connection.rows("EXPLAIN QUERY PLAN SELECT 1")
        let statistics = connection.statistics
        #expect(statistics.selects == 2)
        #expect(statistics.writes == 4)
        #expect(statistics.others == 4)
        #expect(statistics.rows == 3 + 1 + 4 + 1 + 1)
    }

    @Test func `no row has no first value, a null has one`() throws {
        let connection = try Connection(path: ":memory:")
        #expect(try connection.firstValue("SELECT 1 WHERE 0") == Optional.none)
        #expect(try connection.firstValue("SELECT NULL") == .some(.null))
    }

    @Test func `a statement left half-way counts the rows it returned`() throws {
        let connection = try Connection(path: ":memory:")
        let statement = try connection.prepare("SELECT value FROM json_each('[1,2,3]')")
        #expect(try statement.step())
        #expect(try statement.step())
        statement.reset()
        #expect(connection.statistics.selects == 1)
        #expect(connection.statistics.rows == 2)
    }

    @Test func `the hook sees every statement once a run`() throws {
        let connection = try Connection(path: ":memory:")
        var seen: [String] = []
        connection.onStatement = { seen.append($0) }
        try connection.transaction(.immediate) {
            for _ in 0..<2 { _ = try connection.firstValue("SELECT 1") }
        }
        #expect(seen == ["BEGIN IMMEDIATE", "SELECT 1", "SELECT 1", "COMMIT"])
    }

    @Test func `a checkpoint moves the log into the file`() throws {
        let folder = try ScratchFolder()
        let connection = try Connection(path: folder.path())
        #expect(try connection.checkpoint().logPages == -1)
        try connection.execute("PRAGMA journal_mode = WAL; CREATE TABLE t (a)")
        let passive = try connection.checkpoint()
        #expect(passive.logPages > 0)
        #expect(passive.logPages == passive.checkpointedPages)
        #expect(try connection.checkpoint(.truncate).logPages == 0)
    }

    @Test func `a backup is the database as it was, over what was there`() throws {
        let folder = try ScratchFolder()
        let connection = try Connection(path: folder.path())
        try connection.execute("PRAGMA journal_mode = WAL; CREATE TABLE t (a)")
        try connection.run("INSERT INTO t VALUES (1)")
        let target = try Connection(path: folder.path("copy.db"))
        try target.execute("CREATE TABLE old (a)")
        target.close()
        try connection.backup(to: folder.path("copy.db"))
        try connection.run("INSERT INTO t VALUES (2)")
        let copy = try Connection(path: folder.path("copy.db"))
        #expect(try copy.rows("SELECT * FROM t") == [[1]])
        #expect(try copy.firstValue("SELECT count(*) FROM sqlite_schema") == 1)
    }

    @Test func `a backup to where nothing can be written throws`() throws {
        let connection = try Connection(path: ":memory:")
        let path = try ScratchFolder().path("nowhere/copy.db")
        #expect(throws: SQLiteError.self) { try connection.backup(to: path) }
    }

    @Test func `defensive mode and the settings of a connection are on`() throws {
        let connection = try Connection(path: ":memory:")
        #expect(try connection.firstValue("PRAGMA secure_delete") == 0)
        #expect(try connection.firstValue("PRAGMA trusted_schema") == 0)
        #expect(throws: SQLiteError.self) {
            try connection.execute(
                "CREATE TABLE t (a); PRAGMA writable_schema = ON; DELETE FROM sqlite_schema")
        }
    }

    @Test func `an unknown file system is refused`() throws {
        #expect(throws: SQLiteError.self) { _ = try Connection(path: ":memory:", vfs: "none") }
    }

    @Test func `the library reports its version`() {
        #expect(SQLiteLibrary.version.hasPrefix("3."))
    }
}
