extension ConnectionPool {
    /// Descriptions of damage that SQLite finds in the file: pages, indexes, rows missing in
    /// indexes.
    ///
    /// It reads the whole file. Source: `PRAGMA integrity_check`.
    ///
    /// - Returns: At most a hundred descriptions; empty for an undamaged file.
    public func damage() throws -> [String] {
        do {
            return try read { connection in
                // The first row has a line for each damaged page, after one for the database.
                try connection.rows("PRAGMA integrity_check(100)").flatMap { row -> [String] in
                    guard case .text(let text)? = row.first, text != "ok" else { return [] }
                    return text.split(separator: "\n").map(String.init)
                        .filter { !$0.hasPrefix("***") }
                }
            }
        } catch let error as SQLiteError where error.code == .corrupt {
            return [error.message]
        }
    }
}
