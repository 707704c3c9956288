import AnabranchSQLite

/// How far the entries of a log may not be in the order of their times.
///
/// After a snapshot, a change set may wait in the log because the zone has lost its predecessor. It
/// may be of another history than its neighbours, so no bisection finds it by its time. Such
/// entries are looked for one by one, but not among those that were added later.
struct UnorderedEntries {
    let connection: Connection

    private static let key = "log-unordered"

    /// Includes all entries that the log has now. Call it when a snapshot was loaded, the first
    /// entries were removed, or an entry got another form or lost its place in the zone.
    func includeAll() throws {
        try connection.run(
            """
            INSERT INTO ab_meta (key, value)
            VALUES (?, (SELECT coalesce(max(position), 0) FROM ab_changeset))
            ON CONFLICT (key) DO UPDATE SET value = excluded.value
            """, .text(Self.key))
    }

    /// False if certainly no entry waits: the log is whole, or the zone holds all entries that may
    /// be out of order.
    func mayWait() throws -> Bool {
        let statement = try connection.cached(
            """
            SELECT start IS NOT NULL AND (m.value IS NULL OR m.value > placed)
            FROM ab_state LEFT JOIN ab_meta m ON m.key = ? WHERE id = 1
            """, Self.key)
        return try statement.step() && statement.int64(at: 0) != 0
    }
}
