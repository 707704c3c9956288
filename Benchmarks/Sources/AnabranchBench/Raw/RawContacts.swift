import CRawSQLite

/// A table of eight columns, without Anabranch's own columns and log.
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

    /// Reads every column of every row: numbers where SQLite has them, texts as strings.
    ///
    /// - Returns: A sum over every column, which proves that all values were read.
    func readAll() throws -> Int64 {
        var sum: Int64 = 0
        try database.take("SELECT take(pk, \(Self.columns)) FROM Contact", into: &sum) {
            context, _, values in
            guard let values, let sum = RawDatabase.state(of: context, as: Int64.self) else {
                return
            }
            var row: Int64 = 0
            for column in [0, 6, 8] { row &+= sqlite3_value_int64(values[column]) }
            for column in [1, 5] { row &+= Int64(sqlite3_value_double(values[column])) }
            for column in [2, 3, 4, 7] {
                row &+= Int64(String(raw: values[column]).utf8.count)
            }
            sum.pointee &+= row
        }
        return sum
    }
}
