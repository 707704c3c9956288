import AnabranchSQLite
import Dispatch
import Foundation
import Testing

struct SQLiteErrorTests {
    private func sqliteError(_ body: () throws -> Void) throws -> SQLiteError {
        try #require(throws: SQLiteError.self, performing: body)
    }

    @Test func `a syntax error names the token and its offset`() throws {
        let connection = try Connection(path: ":memory:")
        let error = try sqliteError { _ = try connection.prepare("SELECT é FORM t") }
        #expect(error.code == .error)
        #expect(error.sql == "SELECT é FORM t")
        #expect(error.offset == 15)
        #expect(
            error.message
                == "Can't prepare “SELECT é FORM t” because near \"t\": syntax error.")
    }

    @Test func `a double-quoted string is an unknown column`() throws {
        let connection = try Connection(path: ":memory:")
        try connection.execute("CREATE TABLE t (a)")
        let error = try sqliteError { _ = try connection.prepare("SELECT \"b\" FROM t") }
        #expect(error.message.contains("no such column"))
    }

    @Test func `a violated constraint is named and leaves the statement usable`() throws {
        let connection = try Connection(path: ":memory:")
        try connection.execute("CREATE TABLE t (a UNIQUE)")
        let insert = try connection.prepare("INSERT INTO t VALUES (?)")
        try insert.bind("x", at: 1)
        try insert.run()
        let error = try sqliteError { try insert.run() }
        #expect(error.code == .constraint)
        #expect(error.extendedCode == 2067)
        #expect(error.sql == "INSERT INTO t VALUES (?)")
        #expect(error.message.contains("UNIQUE constraint failed: t.a"))
        try insert.bind("y", at: 1)
        try insert.run()
        #expect(try connection.firstValue("SELECT count(*) FROM t") == 2)
    }

    @Test func `a read-only connection refuses to write`() throws {
        let folder = try ScratchFolder()
        try Connection(path: folder.path()).execute("CREATE TABLE t (a)")
        let connection = try Connection(path: folder.path(), mode: .readOnly)
        #expect(
            try sqliteError { try connection.execute("INSERT INTO t VALUES (1)") }.code == .readOnly
        )
    }

    @Test func `a file that is no database is refused and left as it is`() throws {
        let folder = try ScratchFolder()
        let text = String(repeating: "This is a letter, not a database. ", count: 100)
        try text.write(toFile: folder.path(), atomically: false, encoding: .utf8)
        let connection = try Connection(path: folder.path())
        #expect(
            try sqliteError { try connection.execute("CREATE TABLE t (a)") }.code == .notADatabase)
        connection.close()
        #expect(try String(contentsOfFile: folder.path(), encoding: .utf8) == text)
    }

    @Test(arguments: [OpenMode.readWriteCreate, .readWrite, .readOnly])
    func `a missing directory cannot be opened`(mode: OpenMode) throws {
        let path = try ScratchFolder().path("nowhere/test.db")
        let error = try sqliteError { _ = try Connection(path: path, mode: mode) }
        #expect(error.code == .cantOpen)
        #expect(error.message.hasPrefix("Can't open the database “\(path)” because"))
        #expect(error.message.contains("No such file or directory"))
    }

    @Test func `a missing file is created only when asked for`() throws {
        let folder = try ScratchFolder()
        #expect(
            try sqliteError { _ = try Connection(path: folder.path(), mode: .readWrite) }.code
                == .cantOpen)
        #expect(!FileManager.default.fileExists(atPath: folder.path()))
    }

    @Test func `a path with a NUL does not open what is before it`() throws {
        let folder = try ScratchFolder()
        let path = folder.path("a") + "\0b"
        #expect(try sqliteError { _ = try Connection(path: path) }.code == .cantOpen)
        #expect(!FileManager.default.fileExists(atPath: folder.path("a")))
    }

    @Test func `a full file throws and rolls back`() throws {
        let folder = try ScratchFolder()
        let connection = try Connection(path: folder.path())
        try connection.execute("PRAGMA page_size = 1024; CREATE TABLE t (a)")
        try connection.run("INSERT INTO t VALUES (1)")
        try connection.execute("PRAGMA max_page_count = 8")
        let error = try sqliteError {
            try connection.transaction {
                for _ in 0..<100 { try connection.run("INSERT INTO t VALUES (zeroblob(900))") }
            }
        }
        #expect(error.code == .full)
        #expect(!connection.isInTransaction)
        #expect(try connection.firstValue("SELECT count(*) FROM t") == 1)
        #expect(try connection.firstValue("PRAGMA integrity_check") == "ok")
    }

    @Test(arguments: ["", "  -- nothing\n", "SELECT 1; SELECT 2", "SELECT 1; nonsense"])
    func `prepare takes exactly one statement`(sql: String) throws {
        let connection = try Connection(path: ":memory:")
        #expect(try sqliteError { _ = try connection.prepare(sql) }.code == .misuse)
    }

    @Test func `spaces and comments may follow a statement`() throws {
        let connection = try Connection(path: ":memory:")
        #expect(try connection.firstValue("SELECT 1; -- one\n /* and */ ;") == 1)
    }

    @Test func `SQL with a NUL is refused whole`() throws {
        let connection = try Connection(path: ":memory:")
        #expect(try sqliteError { try connection.execute("SELECT 1;\0 SELECT 2") }.code == .misuse)
    }

    @Test func `a script stops at the statement that fails`() throws {
        let connection = try Connection(path: ":memory:")
        let error = try sqliteError {
            try connection.execute(
                "CREATE TABLE t (a); INSERT INTO t VALUES (1); INSERT INTO t VALUE (2)")
        }
        #expect(error.sql == " INSERT INTO t VALUE (2)")
        #expect(error.offset == 15)
        #expect(try connection.firstValue("SELECT count(*) FROM t") == 1)
    }

    @Test func `an index beyond the parameters is out of range`() throws {
        let statement = try Connection(path: ":memory:").prepare("SELECT ?")
        #expect(try sqliteError { try statement.bind(1, at: 2) }.code == .range)
        #expect(try sqliteError { try statement.bind("x", at: 0) }.code == .range)
    }

    @Test func `another connection's lock is busy`() throws {
        let folder = try ScratchFolder()
        let first = try Connection(path: folder.path())
        try first.execute("CREATE TABLE t (a)")
        let second = try Connection(path: folder.path(), busyTimeout: .milliseconds(10))
        try first.transaction {
            let error = try sqliteError { try second.transaction {} }
            #expect(error.code == .busy)
        }
        try second.transaction {}
    }
}
