import CRawSQLite

/// What the tables of a store take of its file.
struct StoreSizes {
    /// The bytes of the model's tables and their indexes.
    let live: Double
    /// The bytes of all pages in use.
    let used: Double
    /// The bytes of the file, with its free pages.
    let file: Double
    /// The eight tables or indexes of Anabranch's own that take most.
    let largest: String

    init(_ path: String) throws {
        let database = try RawDatabase(path: path)
        let own = "name LIKE 'ab\\_%' ESCAPE '\\' OR name LIKE 'sqlite\\_%' ESCAPE '\\'"
        func bytes(_ condition: String) throws -> Double {
            Double(
                try database.number(
                    "SELECT total(pgsize) FROM dbstat WHERE aggregate = TRUE AND (\(condition))"))
        }
        live = try bytes("NOT (\(own))")
        used = try bytes("TRUE")
        file = Double(
            try database.number(
                "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"))
        largest = try database.text(
            """
            SELECT group_concat(name || ' ' || (pgsize / 1000) || ' kB', ', ') FROM (
                SELECT name, pgsize FROM dbstat WHERE aggregate = TRUE AND (\(own))
                ORDER BY pgsize DESC LIMIT 8)
            """)
    }
}
