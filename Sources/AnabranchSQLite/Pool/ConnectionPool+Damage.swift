extension ConnectionPool {
    /// What SQLite finds wrong with the file: pages, indexes, rows that indexes do not have.
    ///
    /// Reads the whole file. Source: `PRAGMA integrity_check`.
    ///
    /// - Returns: At most a hundred findings; none of a sound file.
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
