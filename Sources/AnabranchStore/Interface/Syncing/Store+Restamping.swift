package import AnabranchReplication
import AnabranchSQLite

extension Store {
    /// Restamps change sets that the zone does not hold and that have a timestamp beyond the zone's
    /// limit. Each gets the least timestamp that is greater than all before it in this file's log,
    /// and the clock goes back with them.
    ///
    /// Only timestamps beyond the limit change, whichever replica they come from, and they only get
    /// lower. So no replica can block a zone or advance its clock, and no correct timestamp
    /// changes.
    ///
    /// - Parameters:
    ///   - limit: The latest timestamp that the zone accepts now.
    ///   - clockOffsetMilliseconds: The milliseconds to add to the device's clock from now on to
    ///     get the server's.
    /// - Returns: The records with changed rows; their values are unchanged.
    /// - Throws: ``StoreError``; nothing was changed.
    package func restamp(
        above limit: HybridTimestamp, clockOffsetMilliseconds: Int64
    ) throws -> ChangedRecords {
        try write { transaction in
            transaction.state.clockOffset = clockOffsetMilliseconds
            guard Mechanism.restamping.isOn else { return ChangedRecords() }
            var changes = ChangeCollector()
            guard let latest = try transaction.restamp(above: limit, &changes) else {
                return ChangedRecords()
            }
            transaction.state.clock = HybridClock(latest: latest)
            var changed = try transaction.collected(changes)
            changed.conflicts = try transaction.writeConflicts()
            return changed
        }
    }
}
