import AnabranchSQLite

/// Two numbers about the stamps of removed saves, kept in the file for their removal.
struct StampCounters {
    let connection: Connection

    private static let addedKey = "stamps-added"
    private static let foundKey = "stamps-found"
    /// A damaged number only lets unused stamps be looked for too early or too late.
    private static let greatest: Int64 = 1 << 48

    /// The number of stamps that saves have left since unused ones were last removed.
    func added() throws -> Int64 { try number(Self.addedKey) }

    func add(_ count: Int64) throws { try add(count, to: Self.addedKey) }

    /// The number of transactions that have found a stamp by its time, and so may have named one
    /// that nothing named before.
    func found() throws -> Int64 { try number(Self.foundKey) }

    func countFinding() throws { try add(1, to: Self.foundKey) }

    private func number(_ key: String) throws -> Int64 {
        let value = try connection.firstValue(
            "SELECT value FROM ab_meta WHERE key = ?", .text(key))
        if case .integer(let number)? = value { return min(max(number, 0), Self.greatest) }
        return 0
    }

    private func add(_ count: Int64, to key: String) throws {
        try connection.run(
            """
            INSERT INTO ab_meta (key, value) VALUES (?, ?)
            ON CONFLICT (key) DO UPDATE SET value = max(value + excluded.value, 0)
            """, .text(key), .integer(count))
    }
}
