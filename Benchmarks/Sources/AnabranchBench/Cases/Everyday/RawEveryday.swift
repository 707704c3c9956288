import CRawSQLite

/// The operations as prepared statements, each save a transaction.
final class RawEveryday: EverydaySide {
    private let database: RawDatabase
    private var statements: [String: OpaquePointer] = [:]

    init(_ path: String) throws {
        database = try RawDatabase(path: path)
        try database.run(
            """
            CREATE TABLE Person (
                pk INTEGER PRIMARY KEY, age INTEGER, firstName TEXT, lastName TEXT);
            CREATE INDEX Person_byAge ON Person (age);
            CREATE TABLE Team (pk INTEGER PRIMARY KEY, title TEXT);
            CREATE TABLE Player (pk INTEGER PRIMARY KEY, name TEXT, team INTEGER);
            CREATE INDEX Player_team ON Player (team);
            WITH RECURSIVE n (i) AS (
                SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(EverydaySize.people))
            INSERT INTO Person
            SELECT i, i % \(EverydaySize.ages), 'First ' || i, 'Last ' || i FROM n;
            WITH RECURSIVE n (i) AS (
                SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(EverydaySize.teams))
            INSERT INTO Team SELECT i, 'Team ' || i FROM n;
            WITH RECURSIVE n (i) AS (
                SELECT 0 UNION ALL SELECT i + 1 FROM n
                WHERE i < \(EverydaySize.teams * EverydaySize.playersEach - 1))
            INSERT INTO Player
            SELECT i + 1, 'Player ' || i, i / \(EverydaySize.playersEach) + 1 FROM n;
            """)
    }

    deinit { for statement in statements.values { sqlite3_finalize(statement) } }

    /// A statement, prepared once.
    private func statement(_ sql: String) throws -> OpaquePointer {
        if let known = statements[sql] { return known }
        let new = try database.prepare(sql)
        statements[sql] = new
        return new
    }

    func times(of operation: EverydayOperation, _ turns: Range<Int>) throws -> [Duration] {
        try turns.map { turn in
            let clock = ContinuousClock()
            let start = clock.now
            try run(operation, turn)
            return clock.now - start
        }
    }

    private func run(_ operation: EverydayOperation, _ turn: Int) throws {
        let person = Int64(turn % EverydaySize.people + 1)
        switch operation {
        case .insert: try insert()
        case .insertTen:
            try database.step(statement("BEGIN IMMEDIATE"))
            for _ in 0..<10 { try insert() }
            try database.step(statement("COMMIT"))
        case .change:
            try run("UPDATE Person SET age = age + 1 WHERE pk = ?", person)
        case .delete: try run("DELETE FROM Person WHERE pk = ?", Int64(turn + 1))
        case .find:
            _ = try read("SELECT pk, age, firstName, lastName FROM Person WHERE pk = ?", person)
        case .fire:
            let player = Int64(turn % (EverydaySize.teams * EverydaySize.playersEach) + 1)
            _ = try read(
                "SELECT pk, title FROM Team WHERE pk = (SELECT team FROM Player WHERE pk = ?)",
                player)
        case .members:
            let rows = try read(
                "SELECT pk, name, team FROM Player WHERE team = ?",
                Int64(turn % EverydaySize.teams + 1))
            guard rows == EverydaySize.playersEach else { throw Unexpected("\(rows) players") }
        case .count:
            _ = try read(
                "SELECT count(*) FROM Person WHERE age = ?", Int64(turn % EverydaySize.ages))
        }
    }

    private func insert() throws {
        let insert = try statement(
            "INSERT INTO Person (age, firstName, lastName) VALUES (?, 'Firstname', 'Lastname')")
        sqlite3_bind_int64(insert, 1, Int64.random(in: 0..<Int64(EverydaySize.ages)))
        try database.step(insert)
    }

    private func run(_ sql: String, _ key: Int64) throws {
        let statement = try statement(sql)
        sqlite3_bind_int64(statement, 1, key)
        try database.step(statement)
    }

    /// Reads all columns of all rows, texts as strings.
    ///
    /// - Returns: The number of rows.
    private func read(_ sql: String, _ key: Int64) throws -> Int {
        let statement = try statement(sql)
        sqlite3_bind_int64(statement, 1, key)
        defer { sqlite3_reset(statement) }
        var rows = 0
        while sqlite3_step(statement) == SQLITE_ROW {
            rows += 1
            for column in 0..<sqlite3_column_count(statement) {
                if sqlite3_column_type(statement, column) == SQLITE_TEXT {
                    _ = sqlite3_column_text(statement, column).map { String(cString: $0) }
                } else {
                    _ = sqlite3_column_int64(statement, column)
                }
            }
        }
        return rows
    }
}
