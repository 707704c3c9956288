import AnabranchReplication
import AnabranchSQLite

extension StateTransaction {
    /// Gives change sets that the zone does not hold earlier timestamps, everywhere they are
    /// mentioned.
    ///
    /// - Returns: The greatest timestamp in the file afterwards, or `nil` if no change set was
    ///   beyond the limit.
    func restamp(
        above limit: HybridTimestamp, _ changes: inout ChangeCollector
    ) throws -> HybridTimestamp? {
        var rewriting = Rewriting()
        let latest = try restamped(log, above: limit, &rewriting)
        guard !rewriting.isEmpty else { return nil }
        var operation = LogRewriting(self, rewriting, adopting: nil)
        try operation.run(&changes)
        return latest
    }

    /// Collects the new timestamps.
    ///
    /// - Returns: The greatest timestamp in the file afterwards.
    private func restamped(
        _ log: ChangeLog, above limit: HybridTimestamp, _ rewriting: inout Rewriting
    ) throws -> HybridTimestamp {
        // A change set that the zone holds comes before those that it does not hold, or is
        // concurrent with them. What a snapshot or a repair has brought is in no entry of the log.
        var latest = try greatestTimestampOfRows(upTo: limit)
        var position: Int64 = 0
        try log.forEach(log.unplacedPositions()) { entry in
            latest = max(
                latest, try greatestTimestamp(after: position, before: entry.localPosition))
            position = entry.localPosition
            var timestamp = entry.changeSet.timestamp
            if timestamp > limit {
                guard latest.rawValue < Limits.greatestTimestamp else { throw atEnd }
                timestamp = HybridTimestamp(rawValue: latest.rawValue + 1)
                try rewriting.rename(
                    entry.changeSet,
                    to: Rewriting.Name(dot: entry.changeSet.dot, timestamp: timestamp),
                    PartTable(connection))
            }
            latest = max(latest, timestamp)
        }
        return max(latest, try greatestTimestamp(after: position, before: .max))
    }

    private var atEnd: StoreError {
        StoreError(
            .exhausted,
            "Can't give saves earlier times because the zone holds a change set of the last time "
                + "there is. Report it to the server's operator.", path: store.path)
    }

    /// The greatest timestamp in the file, of rows without a log entry up to a limit.
    func greatestTimestamp(upTo limit: HybridTimestamp) throws -> HybridTimestamp {
        max(try greatestTimestampOfRows(upTo: limit), try greatestTimestamp(after: 0, before: .max))
    }

    /// The greatest timestamp of the rows that no entry of the log has written.
    ///
    /// A timestamp beyond the limit does not count: it is the former one of a change set that was
    /// restamped, because the zone takes none.
    private func greatestTimestampOfRows(upTo limit: HybridTimestamp) throws -> HybridTimestamp {
        let greatest = try connection.firstValue(
            "SELECT max(hlc) FROM ab_stamp WHERE hlc <= ?",
            .integer(Int64(bitPattern: limit.rawValue)))
        guard case .integer(let value)? = greatest else { return .zero }
        return HybridTimestamp(rawValue: UInt64(bitPattern: value))
    }

    /// The greatest timestamp of the entries between two local positions, excluding both.
    private func greatestTimestamp(
        after first: Int64, before last: Int64
    ) throws -> HybridTimestamp {
        let greatest = try connection.firstValue(
            "SELECT max(hlc) FROM ab_changeset WHERE position > ? AND position < ?",
            .integer(first), .integer(last))
        guard case .integer(let value)? = greatest else { return .zero }
        return HybridTimestamp(rawValue: UInt64(bitPattern: value))
    }
}
