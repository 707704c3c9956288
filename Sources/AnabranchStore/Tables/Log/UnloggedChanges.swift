import AnabranchSQLite

/// The number of times that records of a file have changed, or shown something else, in a way that
/// the saves of its history do not describe by themselves.
///
/// Examples are a repair, a snapshot, a rejected save, and what a merge or a view rule does to
/// other records than those that a change set names. Another process that follows the history
/// reads its objects again when this number grows.
struct UnloggedChanges {
    let connection: Connection

    private static let key = "history-unlogged"

    func count() throws -> Int64 {
        try connection.cached("SELECT value FROM ab_meta WHERE key = ?", Self.key).first {
            try $0.amount(at: 0)
        } ?? 0
    }

    /// Counts one more change.
    ///
    /// - Returns: Its number.
    func add() throws -> Int64 {
        try connection.cached(
            """
            INSERT INTO ab_meta (key, value) VALUES (?, 1)
            ON CONFLICT (key) DO UPDATE SET value = value + 1 RETURNING value
            """, Self.key
        ).first { try $0.amount(at: 0) } ?? 0
    }
}
