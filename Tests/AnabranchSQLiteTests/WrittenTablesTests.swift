import Testing

@testable import AnabranchSQLite

/// Tests of the watched tables that statements write.
struct WrittenTablesTests {
    private let connection: Connection
    private let first = TableSet(rawValue: 1)
    private let second = TableSet(rawValue: 2)

    init() throws {
        connection = try Connection(path: ":memory:")
        try connection.execute(
            """
            CREATE TABLE a (x); CREATE TABLE b (x); CREATE TABLE c (x);
            CREATE TRIGGER t AFTER INSERT ON c BEGIN INSERT INTO b VALUES (new.x); END;
            """)
        // A statement that is cached before tables are watched.
        try connection.run("INSERT INTO a VALUES (?)", .integer(1))
        try connection.watchWrites(of: ["a", "b"])
    }

    @Test func `each statement that writes a table is noticed, also by a trigger`() throws {
        #expect(connection.takeWrittenTables().isEmpty)
        _ = try connection.firstValue("SELECT count(*) FROM a, b")
        #expect(connection.takeWrittenTables().isEmpty)
        for _ in 0..<2 {
            try connection.run("INSERT INTO a VALUES (?)", .integer(1))
            #expect(connection.takeWrittenTables() == first)
        }
        try connection.run("INSERT INTO c VALUES (?)", .integer(1))
        #expect(connection.takeWrittenTables() == second)
        try connection.execute("UPDATE a SET x = 2; DELETE FROM b")
        #expect(connection.takeWrittenTables() == [first, second])
        #expect(connection.takeWrittenTables().isEmpty)
    }

    @Test func `a statement that is only compiled does not count`() throws {
        _ = try connection.prepare("DELETE FROM a")
        #expect(connection.takeWrittenTables().isEmpty)
        let statement = try connection.cached("DELETE FROM a")
        try connection.execute("CREATE TABLE d (x)")
        try statement.run()
        #expect(connection.takeWrittenTables() == first)
    }
}
