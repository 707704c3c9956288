import AnabranchReplication
import AnabranchSQLite

/// The change set of a stamp, which is in the log or was removed from it.
struct LoggedWrite {
    let sequence: UInt64
    /// The position in the zone's log; `nil` if it is not known.
    let place: UInt64?
    /// The author name of the save; empty if it has none.
    let author: String
}

extension LoggedStamps {
    /// The change set with a stamp; `nil` if this file never had it.
    func write(of stamp: LocalStamp) throws -> LoggedWrite? {
        if let position = try position(of: stamp) { return try entry(position) }
        let removed = try connection.cached(
            """
            SELECT s.seq, s.server_position, a.name
            FROM ab_stamp s LEFT JOIN ab_conflict_author a ON a.id = s.author
            WHERE s.hlc = ? AND s.replica = ? AND s.seq IS NOT NULL
            """, stamp)
        if let found = try write(removed) { return found }
        return try waiting(stamp).flatMap(entry)
    }

    private func entry(_ position: Int64) throws -> LoggedWrite? {
        try write(
            connection.cached(
                "SELECT seq, server_position, author FROM ab_changeset WHERE position = ?",
                position))
    }

    private func write(_ statement: Statement) throws -> LoggedWrite? {
        try statement.first {
            LoggedWrite(
                // The number is negative while the change set is being renamed.
                sequence: $0.int64(at: 0).magnitude,
                place: $0.isNull(at: 1) ? nil : try $0.zonePosition(at: 1),
                author: $0.string(at: 2))
        }
    }
}
