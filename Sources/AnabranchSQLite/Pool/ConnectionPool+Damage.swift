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
                try connection.rows("PRAGMA integrity_check(100)").compactMap { row in
                    guard case .text(let text)? = row.first, text != "ok" else { return nil }
                    return text
                }
            }
        } catch let error as SQLiteError where error.code == .corrupt {
            return [error.message]
        }
    }
}
