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
            WHERE s.replica = ? AND s.hlc = ? AND s.seq IS NOT NULL
            """)
        try removed.bind(stamp.ordinal, at: 1)
        try removed.bind(Int64(bitPattern: stamp.timestamp), at: 2)
        if let found = try write(removed) { return found }
        return try waiting(stamp).flatMap(entry)
    }

    private func entry(_ position: Int64) throws -> LoggedWrite? {
        let statement = try connection.cached(
            "SELECT seq, server_position, author FROM ab_changeset WHERE position = ?")
        try statement.bind(position, at: 1)
        return try write(statement)
    }

    private func write(_ statement: Statement) throws -> LoggedWrite? {
        guard try statement.step() else { return nil }
        defer { statement.reset() }
        return LoggedWrite(
            // The number is negative while the change set is being renamed.
            sequence: statement.int64(at: 0).magnitude,
            place: statement.isNull(at: 1) ? nil : try statement.zonePosition(at: 1),
            author: statement.string(at: 2))
    }
}
