import CRawSQLite

/// A table of eight columns, without the columns and the log that are ours.
struct RawContacts {
    private let database: RawDatabase

    private static let columns =
        "born, city, email, firstName, height, isActive, lastName, visits"

    init(path: String) throws { database = try RawDatabase(path: path) }

    static func copy(from store: String, to path: String) throws {
        let database = try RawDatabase(path: path)
        try database.run(
            """
            CREATE TABLE Contact (
                pk INTEGER PRIMARY KEY, born REAL, city TEXT, email TEXT, firstName TEXT,
                height REAL, isActive INTEGER, lastName TEXT, visits INTEGER);
            ATTACH '\(store)' AS store;
            INSERT INTO main.Contact SELECT ab_pk, \(columns) FROM store.Contact;
            DETACH store;
            """)
    }

    /// - Returns: A sum over every column, which shows that every value was read.
    func readAll() throws -> Int64 {
        let statement = try database.prepare("SELECT pk, \(Self.columns) FROM Contact")
        defer { sqlite3_finalize(statement) }
        var sum: Int64 = 0
        while sqlite3_step(statement) == SQLITE_ROW {
            for column: Int32 in [0, 6, 8] { sum &+= sqlite3_column_int64(statement, column) }
            for column: Int32 in [1, 5] { sum &+= Int64(sqlite3_column_double(statement, column)) }
            for column: Int32 in [2, 3, 4, 7] {
                guard let text = sqlite3_column_text(statement, column) else { continue }
                sum &+= Int64(text[0]) &+ Int64(sqlite3_column_bytes(statement, column))
            }
        }
        return sum
    }
}
