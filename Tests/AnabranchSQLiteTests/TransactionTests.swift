import AnabranchSQLite
import Testing

struct TransactionTests {
    private struct Crash: Error {}

    private func makeTable() throws -> Connection {
        let connection = try Connection(path: ":memory:")
        try connection.execute("CREATE TABLE t (a)")
        return connection
    }

    private func contents(_ connection: Connection) throws -> [SQLiteValue] {
        try connection.rows("SELECT a FROM t ORDER BY a").map { $0[0] }
    }

    @Test(arguments: [TransactionKind.deferred, .immediate, .exclusive])
    func `a transaction commits when its body returns`(kind: TransactionKind) throws {
        let connection = try makeTable()
        let result = try connection.transaction(kind) {
            try connection.run("INSERT INTO t VALUES (1)")
            #expect(connection.isInTransaction)
            return 5
        }
        #expect(result == 5)
        #expect(!connection.isInTransaction)
        #expect(try contents(connection) == [1])
    }

    @Test func `a transaction rolls back when its body throws`() throws {
        let connection = try makeTable()
        #expect(throws: Crash.self) {
            try connection.transaction {
                try connection.run("INSERT INTO t VALUES (1)")
                throw Crash()
            }
        }
        #expect(!connection.isInTransaction)
        #expect(try contents(connection).isEmpty)
    }

    @Test func `a transaction within another is refused and the outer one continues`() throws {
        let connection = try makeTable()
        try connection.transaction {
            try connection.run("INSERT INTO t VALUES (1)")
            let error = failure { try connection.transaction {} }
            #expect(error is SQLiteError)
            #expect(connection.isInTransaction)
        }
        #expect(try contents(connection) == [1])
    }

    @Test func `savepoints nest and each undoes its own`() throws {
        let connection = try makeTable()
        try connection.transaction {
            try connection.run("INSERT INTO t VALUES (1)")
            try connection.savepoint {
                try connection.run("INSERT INTO t VALUES (2)")
                let inner = failure {
                    try connection.savepoint {
                        try connection.run("INSERT INTO t VALUES (3)")
                        throw Crash()
                    }
                }
                #expect(inner is Crash)
                try connection.savepoint { try connection.run("INSERT INTO t VALUES (4)") }
            }
            let outer = failure {
                try connection.savepoint {
                    try connection.savepoint { try connection.run("INSERT INTO t VALUES (5)") }
                    throw Crash()
                }
            }
            #expect(outer is Crash)
        }
        #expect(try contents(connection) == [1, 2, 4])
    }

    @Test func `a savepoint outside a transaction is one`() throws {
        let connection = try makeTable()
        try connection.savepoint { try connection.run("INSERT INTO t VALUES (1)") }
        #expect(!connection.isInTransaction)
        #expect(try contents(connection) == [1])
    }

    @Test func `a body that continues after a rollback gets an error`() throws {
        let connection = try makeTable()
        try connection.execute("CREATE TABLE u (a NOT NULL)")
        let error = failure {
            try connection.transaction {
                try connection.run("INSERT INTO t VALUES (1)")
                let first = failure {
                    try connection.run("INSERT OR ROLLBACK INTO u VALUES (NULL)")
                }
                #expect((first as? SQLiteError)?.code == .constraint)
                #expect(!connection.isInTransaction)
            }
        }
        #expect((error as? SQLiteError)?.code == .abort)
        #expect(try contents(connection).isEmpty)
    }

    @Test func `a commit that fails rolls back`() throws {
        let connection = try makeTable()
        try connection.execute(
            """
            PRAGMA foreign_keys = ON;
            CREATE TABLE parent (id INTEGER PRIMARY KEY);
            CREATE TABLE child (p REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
            """)
        let error = try #require(throws: SQLiteError.self) {
            try connection.transaction { try connection.run("INSERT INTO child VALUES (9)") }
        }
        #expect(error.code == .constraint)
        #expect(!connection.isInTransaction)
        #expect(try connection.firstValue("SELECT count(*) FROM child") == 0)
    }

    @Test func `a commit kept out by a reader rolls back`() throws {
        let folder = try ScratchFolder()
        let writer = try Connection(path: folder.path(), busyTimeout: .zero)
        try writer.execute("CREATE TABLE t (a); INSERT INTO t VALUES (0)")
        let reader = try Connection(path: folder.path())
        try reader.transaction(.deferred) {
            let seen = try reader.firstValue("SELECT count(*) FROM t")
            #expect(seen == 1)
            let error = failure {
                try writer.transaction { try writer.run("INSERT INTO t VALUES (1)") }
            }
            #expect((error as? SQLiteError)?.code == .busy)
            #expect(!writer.isInTransaction)
        }
        #expect(try contents(writer) == [0])
    }

    @Test func `closing rolls an open transaction back`() throws {
        let folder = try ScratchFolder()
        let connection = try Connection(path: folder.path())
        try connection.execute("CREATE TABLE t (a); BEGIN; INSERT INTO t VALUES (1)")
        connection.close()
        #expect(try contents(Connection(path: folder.path())).isEmpty)
    }

    @Test func `changes and row IDs are those of the last write`() throws {
        let connection = try makeTable()
        try connection.run("INSERT INTO t VALUES (1), (2), (3)")
        #expect(connection.changes == 3)
        #expect(connection.lastInsertRowID == 3)
        try connection.run("UPDATE t SET a = 9 WHERE a > ?", 1)
        #expect(connection.changes == 2)
    }
}

/// Tests of the state after a simulated crash at each point.
struct TransactionFaultsTests {
    private struct Crash: Error {}

    private func run(_ faults: TransactionFaults) throws -> (connection: Connection, threw: Bool) {
        let connection = try Connection(path: ":memory:")
        try connection.execute("CREATE TABLE t (a)")
        connection.faults = faults
        do {
            try connection.transaction {
                _ = try connection.firstValue("SELECT count(*) FROM t")
                try connection.run("INSERT INTO t VALUES (1)")
                try connection.run("INSERT INTO t VALUES (2)")
            }
            return (connection, false)
        } catch is Crash {
            return (connection, true)
        }
    }

    private func count(_ connection: Connection) throws -> SQLiteValue? {
        try connection.firstValue("SELECT count(*) FROM t")
    }

    @Test func `a crash before the first write or the commit leaves nothing`() throws {
        for faults in [
            TransactionFaults(beforeFirstWrite: { throw Crash() }),
            TransactionFaults(beforeCommit: { throw Crash() }),
        ] {
            let (connection, threw) = try run(faults)
            #expect(threw)
            #expect(!connection.isInTransaction)
            #expect(try count(connection) == 0)
        }
    }

    @Test func `a crash after the commit is thrown and everything is there`() throws {
        let (connection, threw) = try run(TransactionFaults(afterCommit: { throw Crash() }))
        #expect(threw)
        #expect(!connection.isInTransaction)
        #expect(try count(connection) == 2)
    }

    @Test func `each fault is met once in a transaction that writes, in order`() throws {
        let log = Log()
        let (connection, threw) = try run(
            TransactionFaults(
                beforeFirstWrite: { log.entries.append("write") },
                beforeCommit: { log.entries.append("commit") },
                afterCommit: { log.entries.append("committed") }))
        #expect(!threw)
        #expect(log.entries == ["write", "commit", "committed"])
        try connection.transaction(.deferred) { _ = try count(connection) }
        #expect(log.entries.count == 3)
    }

    /// A log that only the test's thread uses.
    private final class Log: @unchecked Sendable { var entries: [String] = [] }
}
