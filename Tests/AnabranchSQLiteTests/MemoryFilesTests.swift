import AnabranchSQLite
import Dispatch
import Foundation
import Synchronization
import Testing

@Suite struct `Files in memory` {
    private let path = "test:\(UUID().uuidString)"

    private func open(_ mode: OpenMode = .readWriteCreate) throws -> Connection {
        try Connection(
            path: path, mode: mode, vfs: MemoryFiles.vfsName, busyTimeout: .milliseconds(50))
    }

    private func openInWAL() throws -> Connection {
        let connection = try open()
        #expect(try connection.firstValue("PRAGMA journal_mode = WAL") == .text("wal"))
        try connection.execute("CREATE TABLE IF NOT EXISTS t (a INTEGER PRIMARY KEY, b)")
        return connection
    }

    private func count(_ connection: Connection) throws -> Int64? {
        guard case .integer(let count) = try connection.firstValue("SELECT count(*) FROM t") else {
            return nil
        }
        return count
    }

    @Test func `a file exists as long as a connection has it open`() throws {
        #expect(throws: SQLiteError.self) { try open(.readWrite) }
        let first = try openInWAL()
        try first.execute("INSERT INTO t VALUES (1, 'x')")
        let second = try open(.readOnly)
        #expect(try count(second) == 1)
        first.close()
        #expect(try count(second) == 1)
        #expect(MemoryFiles.byteCount(of: path) > 0)
        #expect(throws: SQLiteError.self) { try second.execute("INSERT INTO t VALUES (2, 'y')") }
        second.close()
        #expect(MemoryFiles.byteCount(of: path) == 0)
        let error = #expect(throws: SQLiteError.self) { try open(.readOnly) }
        #expect(error?.code == .cantOpen)
    }

    @Test func `nothing of it is on a disk`() throws {
        let connection = try openInWAL()
        try connection.execute("INSERT INTO t VALUES (1, 'x')")
        for suffix in ["", "-wal", "-shm", "-journal"] {
            #expect(!FileManager.default.fileExists(atPath: path + suffix))
        }
    }

    @Test func `a reader keeps its state during a write, and neither waits`() throws {
        let (writer, reader) = (try openInWAL(), try open(.readOnly))
        try writer.execute("INSERT INTO t VALUES (1, 'x')")
        try reader.transaction(.deferred) {
            #expect(try count(reader) == 1)
            try writer.execute("INSERT INTO t VALUES (2, 'y')")
            // Pages that a reader still needs stay in the log.
            let outcome = try writer.checkpoint(.passive)
            #expect(outcome.checkpointedPages < outcome.logPages)
            #expect(try count(reader) == 1)
            #expect(try count(writer) == 2)
        }
        #expect(try count(reader) == 2)
        let whole = try writer.checkpoint(.truncate)
        #expect(whole.logPages == 0)
    }

    @Test func `a second writer waits, and gets an error after the time-out`() throws {
        let (first, second) = (try openInWAL(), try open())
        try first.transaction(.immediate) {
            try first.execute("INSERT INTO t VALUES (1, 'x')")
            let error = #expect(throws: SQLiteError.self) {
                try second.execute("INSERT INTO t VALUES (2, 'y')")
            }
            #expect(error?.code == .busy)
        }
        try second.execute("INSERT INTO t VALUES (2, 'y')")
        #expect(try count(first) == 2)
    }

    @Test func `without a log a connection writes while no reader is active`() throws {
        let (first, second) = (try open(), try open())
        try first.execute("CREATE TABLE t (a)")
        try second.transaction(.deferred) { () throws in
            #expect(try count(second) == 0)
            let error = #expect(throws: SQLiteError.self) {
                try first.execute("INSERT INTO t VALUES (1)")
            }
            #expect(error?.code == .busy)
        }
        try first.execute("INSERT INTO t VALUES (1)")
        #expect(throws: SQLiteError.self) {
            try first.transaction {
                try first.execute("INSERT INTO t VALUES (2)")
                throw SQLiteError(code: .abort, action: "go on", cause: "of a test")
            }
        }
        #expect(try count(second) == 1)
    }

    @Test func `a rollback, a vacuum and a large sort need no disk`() throws {
        let connection = try openInWAL()
        try connection.execute("PRAGMA cache_size = 10; PRAGMA temp_store = FILE")
        try connection.transaction {
            for row in 0..<2_000 {
                try connection.run(
                    "INSERT INTO t VALUES (?, ?)", .integer(Int64(row)),
                    .text(String(repeating: "\(row)", count: 200)))
            }
        }
        #expect(
            try connection.rows("SELECT a FROM t ORDER BY b DESC LIMIT 1").first?[0]
                == .integer(999))
        #expect(throws: SQLiteError.self) {
            try connection.transaction {
                try connection.execute("DELETE FROM t")
                throw SQLiteError(code: .abort, action: "go on", cause: "of a test")
            }
        }
        #expect(try count(connection) == 2_000)
        let before = MemoryFiles.byteCount(of: path)
        try connection.execute("DELETE FROM t WHERE a > 10")
        try connection.execute("VACUUM")
        _ = try connection.checkpoint(.truncate)
        #expect(MemoryFiles.byteCount(of: path) < before)
        #expect(try connection.firstValue("PRAGMA integrity_check") == .text("ok"))
        #expect(try count(connection) == 11)
    }

    @Test func `many threads leave a whole file`() throws {
        let writer = try openInWAL()
        try writer.execute("PRAGMA wal_autocheckpoint = 5")
        try writer.execute("INSERT INTO t VALUES (1, 0), (2, 0)")
        let pool = ConnectionPool(path: path, limit: 3, vfs: MemoryFiles.vfsName)
        let isDone = Mutex(false)
        let problems = Mutex<[String]>([])
        let group = DispatchGroup()
        for _ in 0..<4 {
            DispatchQueue.global().async(group: group) {
                while !isDone.withLock({ $0 }) {
                    do {
                        let rows = try pool.read { try $0.rows("SELECT b FROM t WHERE a < 3") }
                        if rows[0] != rows[1] { problems.withLock { $0.append("\(rows)") } }
                    } catch {
                        problems.withLock { $0.append("\(error)") }
                    }
                }
            }
        }
        for round in 1...500 {
            try writer.transaction {
                try writer.run(
                    "INSERT INTO t VALUES (?, ?)", .integer(Int64(round + 2)),
                    .text(String(repeating: "x", count: round * 7)))
                try writer.run("UPDATE t SET b = ? WHERE a < 3", .integer(Int64(round)))
            }
        }
        isDone.withLock { $0 = true }
        group.wait()
        #expect(problems.withLock { $0 } == [])
        pool.close()
        #expect(try writer.firstValue("PRAGMA integrity_check") == .text("ok"))
        #expect(try count(writer) == 502)
    }
}
