import AnabranchReplication
import AnabranchSQLite

/// Finds entries of the log by their stamps.
///
/// An index has the stamps of the entries that the zone holds. Of the others an index would be a
/// page of every save. The times of a replica only rise (invariant 8), so these are found by
/// bisection.
struct LoggedStamps {
    let connection: Connection

    /// The position of the entry with a stamp; `nil` if the log has none, except one that waits.
    func position(of stamp: LocalStamp) throws -> Int64? {
        try placed(stamp) ?? unplaced(stamp)
    }

    /// The position of the entry with a stamp among those that the zone is known to hold.
    func placed(_ stamp: LocalStamp) throws -> Int64? {
        try first(
            """
            SELECT position FROM ab_changeset
            WHERE hlc = ? AND replica = ? AND server_position IS NOT NULL
            """, stamp)
    }

    /// The position of the entry with a stamp among those of a replica of which the zone is not
    /// known to hold all. It may hold later ones and lack earlier ones, which it has in another
    /// form.
    func unplaced(_ stamp: LocalStamp) throws -> Int64? {
        let last = try connection.cached(
            """
            SELECT seq, hlc, position, position > (SELECT placed FROM ab_state WHERE id = 1)
            FROM ab_changeset WHERE replica = ? AND seq > 0 AND kind <> \(Self.lost)
            ORDER BY seq DESC LIMIT 1
            """, stamp.ordinal)
        guard try last.step() else { return nil }
        let time = UInt64(bitPattern: last.int64(at: 1))
        guard last.int64(at: 3) != 0, time >= stamp.timestamp else { return nil }
        if time == stamp.timestamp { return try last.amount(at: 2) }
        return try bisect(stamp, before: last.int64(at: 0))
    }

    private func bisect(_ stamp: LocalStamp, before end: Int64) throws -> Int64? {
        let statement = try connection.cached(
            """
            SELECT seq, hlc, position FROM ab_changeset
            WHERE replica = ? AND seq >= ? AND kind <> \(Self.lost) ORDER BY seq LIMIT 1
            """)
        var (low, high) = (Int64(1), end)
        while low < high {
            let middle = low + (high - low) / 2
            try statement.bind(stamp.ordinal, middle)
            defer { statement.reset() }
            guard try statement.step(), statement.int64(at: 0) < high else {
                high = middle
                continue
            }
            let time = UInt64(bitPattern: statement.int64(at: 1))
            if time == stamp.timestamp { return try statement.amount(at: 2) }
            if time < stamp.timestamp { low = statement.int64(at: 0) + 1 } else { high = middle }
        }
        return nil
    }

    /// The position of an entry that waits after a snapshot. Such an entry may be of another
    /// history than its neighbours, so its time may be any. Few entries wait.
    func waiting(_ stamp: LocalStamp) throws -> Int64? {
        guard try UnorderedEntries(connection: connection).mayWait() else { return nil }
        return try first(
            """
            SELECT position FROM ab_changeset WHERE \(ChangeLog.isUnplaced)
            AND hlc = ? AND +replica = ?
            """, stamp)
    }

    private static let lost = LogEntryKind.lost.rawValue

    private func first(_ sql: String, _ stamp: LocalStamp) throws -> Int64? {
        try connection.cached(sql, stamp).first { try $0.amount(at: 0) }
    }
}
