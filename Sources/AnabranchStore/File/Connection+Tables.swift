import AnabranchSQLite

extension Connection {
    func hasTable(_ name: String) throws -> Bool {
        try firstValue("SELECT 1 FROM sqlite_schema WHERE name = ?", .text(name)) != nil
    }
}

extension Connection {
    /// Runs a transaction that may rewrite the whole file.
    ///
    /// It gets a page cache of 64 MiB. SQLite's own of 2 MiB would write many pages to the
    /// write-ahead log and read them again before the transaction ends.
    func largeTransaction<Result>(_ body: () throws -> Result) throws -> Result {
        guard case .integer(let size)? = try firstValue("PRAGMA cache_size") else {
            return try transaction(.immediate, body)
        }
        try execute("PRAGMA cache_size = \(-1 << 16)")
        defer { try? execute("PRAGMA cache_size = \(size)") }
        return try transaction(.immediate, body)
    }
}
