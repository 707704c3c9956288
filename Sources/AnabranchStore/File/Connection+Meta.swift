import AnabranchSQLite

// The values that belong to a file (`ab_meta`).
extension Connection {
    /// Bytes; `nil` if there are none under the key.
    func meta(_ key: String) throws -> [UInt8]? {
        guard case .blob(let bytes)? = try metaValue(key) else { return nil }
        return bytes
    }

    /// A number; `nil` if there is none under the key.
    func metaNumber(_ key: String) throws -> Int64? {
        guard case .integer(let number)? = try metaValue(key) else { return nil }
        return number
    }

    private func metaValue(_ key: String) throws -> SQLiteValue? {
        try firstValue("SELECT value FROM ab_meta WHERE key = ?", .text(key))
    }

    /// Sets bytes; `nil` removes them.
    func setMeta(_ key: String, _ bytes: [UInt8]?) throws {
        guard let bytes else {
            return try run("DELETE FROM ab_meta WHERE key = ?", .text(key))
        }
        try setMeta(key, .blob(bytes), joining: "excluded.value")
    }

    /// Sets a value.
    ///
    /// - Parameter joining: SQL of the value if there is one already, in terms of `value` and
    ///   `excluded.value`.
    func setMeta(_ key: String, _ value: SQLiteValue, joining: String) throws {
        try run(
            """
            INSERT INTO ab_meta (key, value) VALUES (?, ?)
            ON CONFLICT (key) DO UPDATE SET value = \(joining)
            """, .text(key), value)
    }
}
