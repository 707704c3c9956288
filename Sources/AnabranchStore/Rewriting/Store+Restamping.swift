package import AnabranchReplication
import AnabranchSQLite

extension Store {
    /// Gives sets that the zone does not hold, and whose time is beyond every clock, earlier ones:
    /// each the least that is later than all before it in this file's log. The clock goes back
    /// with them.
    ///
    /// Only what is beyond the limit changes, whoever's it is: nobody can wedge or drag a zone, and
    /// no innocent time is raised.
    ///
    /// - Parameters:
    ///   - limit: The latest time that the zone takes now.
    ///   - clockOffsetMilliseconds: What to add to the device's clock, from now on, to have the
    ///     server's.
    /// - Returns: The records whose rows have changed; their values have not.
    /// - Throws: ``StoreError``; nothing was changed.
    package func restamp(
        above limit: HybridTimestamp, clockOffsetMilliseconds: Int64
    ) throws -> ChangedRecords {
        try write { transaction in
            transaction.state.clockOffset = clockOffsetMilliseconds
            guard !environment.disabled.contains(.restamping) else { return ChangedRecords() }
            let log = transaction.log
            var rewriting = Rewriting()
            let latest = try transaction.restamped(log, above: limit, &rewriting)
            guard !rewriting.isEmpty else { return ChangedRecords() }
            transaction.state.clock = HybridClock(latest: latest)
            var changes = ChangeCollector()
            var operation = LogRewriting(transaction, rewriting, adopting: nil)
            try operation.run(&changes)
            var changed = try transaction.collected(changes)
            changed.conflicts = try transaction.settleConflicts()
            return changed
        }
    }
}

extension WriteTransaction {
    /// - Returns: The greatest time in the log afterwards.
    fileprivate func restamped(
        _ log: ChangeLog, above limit: HybridTimestamp, _ rewriting: inout Rewriting
    ) throws -> HybridTimestamp {
        // Of what the zone holds all is before what it does not, or concurrent with it.
        var latest = HybridTimestamp.zero
        var position: Int64 = 0
        try log.forEach(log.unplacedPositions()) { entry in
            latest = max(
                latest, try greatestTimestamp(after: position, before: entry.localPosition))
            position = entry.localPosition
            var timestamp = entry.changeSet.timestamp
            if timestamp > limit {
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

    /// Of entries between two of this file's log, which do not count.
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
