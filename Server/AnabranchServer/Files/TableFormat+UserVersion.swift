import AnabranchSQLite

// The files of a server have the number of their format in `PRAGMA user_version`.
extension TableFormat {
    /// Brings a file into the latest format.
    ///
    /// Call it within a write transaction.
    ///
    /// - Returns: False for a file without tables.
    /// - Throws: `TableFormatError`.
    func update(_ connection: Connection) throws -> Bool {
        let found = try connection.integer("PRAGMA user_version")
        if found == 0, try connection.integer("SELECT count(*) FROM sqlite_schema") == 0 {
            return false
        }
        try update(connection, from: found)
        if found < latest { try connection.execute("PRAGMA user_version = \(latest)") }
        return true
    }

    /// Creates the tables of the latest format.
    func create(_ connection: Connection) throws {
        try connection.execute(creation)
        try connection.execute("PRAGMA user_version = \(latest)")
    }
}

extension Connection {
    /// The integer in the first column of a statement's first row; 0 if there is none.
    func integer(_ sql: String) throws -> Int64 {
        guard case .integer(let value)? = try firstValue(sql) else { return 0 }
        return value
    }
}
