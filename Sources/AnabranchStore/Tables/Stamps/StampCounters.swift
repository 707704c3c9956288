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
        min(max(try connection.metaNumber(key) ?? 0, 0), Self.greatest)
    }

    private func add(_ count: Int64, to key: String) throws {
        try connection.setMeta(
            key, .integer(count), joining: "max(value + excluded.value, 0)")
    }
}
