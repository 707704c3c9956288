import AnabranchSQLite

extension Connection {
    /// The number of the file's format; 0 for a file without tables.
    ///
    /// - Parameter latest: The latest format that this server knows.
    ///
    /// - Throws: ``StorageError`` `newerFormat` for a later one.
    func format(upTo latest: Int64) throws -> Int64 {
        let found = try integer("PRAGMA user_version")
        guard found <= latest else {
            throw StorageError(
                .newerFormat,
                "Can't open \(path) because its format \(found) is later than this server's "
                    + "\(latest): update the server.")
        }
        return found
    }

    /// The integer in the first column of a statement's first row; 0 if there is none.
    func integer(_ sql: String) throws -> Int64 {
        guard case .integer(let value)? = try firstValue(sql) else { return 0 }
        return value
    }
}
