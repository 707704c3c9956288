import AnabranchSQLite

extension Store {
    /// A value that belongs to the file, such as the server that it syncs with.
    package func metadata(_ key: String) throws -> [UInt8]? {
        try read { reader in
            let value = try reader.connection.firstValue(
                "SELECT value FROM ab_meta WHERE key = ?", .text(key))
            guard case .blob(let bytes)? = value else { return nil }
            return bytes
        }
    }

    /// Sets a value that belongs to the file.
    ///
    /// - Parameter bytes: The value; `nil` removes it.
    package func setMetadata(_ key: String, _ bytes: [UInt8]?) throws {
        try setMetadata([key: bytes])
    }

    /// Sets all values or, if this throws, none.
    package func setMetadata(_ values: [String: [UInt8]?]) throws {
        try write(in: WriteTransaction.self) { transaction in
            for (key, bytes) in values {
                guard let bytes else {
                    try transaction.connection.run(
                        "DELETE FROM ab_meta WHERE key = ?", .text(key))
                    continue
                }
                try transaction.connection.run(
                    """
                    INSERT INTO ab_meta (key, value) VALUES (?, ?)
                    ON CONFLICT (key) DO UPDATE SET value = excluded.value
                    """,
                    .text(key), .blob(bytes))
            }
        }
    }
}
