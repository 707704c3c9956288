import Synchronization
import Testing

@testable import AnabranchSQLite

/// Tests of statements that end when a condition is true.
struct StoppingTests {
    /// A condition that a test sets.
    private final class Condition {
        var isTrue = false
        var asked = 0
    }

    private static let endless = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n
        """

    @Test func `a statement ends while it runs, and later ones go on`() throws {
        let connection = try Connection(path: ":memory:")
        let condition = Condition()
        try connection.stop {
            condition.asked += 1
            return condition.asked == 10
        }
        let error = #expect(throws: SQLiteError.self) { try connection.execute(Self.endless) }
        #expect(error?.code == .interrupt)
        #expect(try connection.firstValue("SELECT 1") == .integer(1))
    }

    @Test func `short statements ask as well`() throws {
        let connection = try Connection(path: ":memory:")
        let condition = Condition()
        try connection.stop { condition.isTrue }
        condition.isTrue = true
        #expect(throws: SQLiteError.self) {
            for _ in 0..<10_000 {
                let statement = try connection.cached("SELECT 1")
                _ = try statement.step()
                statement.reset()
            }
        }
    }

    private final class SharedCondition: Sendable {
        let isTrue = Atomic(false)
    }

    @Test func `another thread stops a statement`() async throws {
        let condition = SharedCondition()
        await withTaskGroup { group in
            group.addTask { condition.isTrue.store(true, ordering: .relaxed) }
            group.addTask {
                let error = #expect(throws: SQLiteError.self) {
                    let connection = try Connection(path: ":memory:")
                    try connection.stopping(when: { condition.isTrue.load(ordering: .relaxed) }) {
                        try connection.execute(Self.endless)
                    }
                }
                #expect(error?.code == .interrupt)
            }
        }
    }

    @Test func `a condition that was true before stops a body's statements and no later ones`()
        throws
    {
        let connection = try Connection(path: ":memory:")
        #expect(throws: SQLiteError.self) {
            try connection.stopping(when: { true }) { try connection.execute(Self.endless) }
        }
        let long = Self.endless.replacing("FROM n)", with: "FROM n LIMIT 100000)")
        #expect(try connection.firstValue(long) == .integer(100_000))
    }

    @Test func `a statement that is stopped keeps no failed transaction open`() throws {
        let connection = try Connection(path: ":memory:")
        try connection.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)")
        let statement = try connection.prepare("SELECT a FROM t")
        let condition = Condition()
        try connection.stop { condition.isTrue }
        #expect(throws: SQLiteError.self) {
            try connection.transaction(.immediate) {
                try connection.execute("DELETE FROM t WHERE a = 2")
                _ = try statement.step()
                condition.isTrue = true
                try connection.execute(Self.endless)
            }
        }
        #expect(!connection.isInTransaction)
        condition.isTrue = false
        #expect(try connection.firstValue("SELECT count(*) FROM t") == .integer(2))
    }

    @Test func `a commit is never stopped`() throws {
        let connection = try Connection(path: ":memory:")
        let condition = Condition()
        try connection.execute("CREATE TABLE t (a)")
        try connection.stop { condition.isTrue }
        // So many that one of these commits would have to ask.
        for number in 0..<3000 {
            try connection.transaction {
                try connection.run("INSERT INTO t VALUES (?)", .integer(Int64(number)))
                condition.isTrue = true
            }
            condition.isTrue = false
        }
        #expect(try connection.firstValue("SELECT count(*) FROM t") == .integer(3000))
    }

    @Test func `a transaction that is stopped is rolled back`() throws {
        let connection = try Connection(path: ":memory:")
        let condition = Condition()
        try connection.execute("CREATE TABLE t (a)")
        try connection.stop { condition.isTrue }
        #expect(throws: SQLiteError.self) {
            try connection.transaction {
                try connection.run("INSERT INTO t VALUES (1)")
                condition.isTrue = true
                try connection.execute(Self.endless)
            }
        }
        condition.isTrue = false
        #expect(!connection.isInTransaction)
        #expect(try connection.firstValue("SELECT count(*) FROM t") == .integer(0))
    }
}
