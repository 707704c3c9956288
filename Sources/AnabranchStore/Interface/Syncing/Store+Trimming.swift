import AnabranchReplication
import AnabranchSQLite

extension Store {
    /// Removes from the log what a retention rule does not keep.
    ///
    /// Only saves that the zone holds are removed, from the oldest on. Other writers wait for one
    /// of the transactions only, each of which removes at most 200 saves or about 1 MiB. Nothing is
    /// removed while records wait for repair, or while the store takes a snapshot. Then the stamps
    /// of removed saves that nothing names go too, if they may be many.
    ///
    /// - Parameters:
    ///   - retention: The rule; `nil` is that of the store's options.
    ///   - isCancelled: Asked before each transaction that removes saves. The removal of stamps,
    ///     which is rare, is not cancelled: it would have to read all rows again.
    /// - Throws: ``StoreError``; what was removed by then stays removed.
    @discardableResult
    package func trimLog(
        to retention: LogRetention? = nil, isCancelled: () -> Bool = { false }
    ) throws -> TrimmingResult {
        let retention = retention ?? options.logRetention
        var result = TrimmingResult()
        guard !options.isReadOnly, try mayTrimLog(to: retention) else { return result }
        repeat {
            result += try write { transaction in
                var trimming = try LogTrimming(transaction, retention)
                try trimming.run()
                return trimming.result
            }
        } while !result.isComplete && !isCancelled()
        if result.isComplete, try mayRemoveStamps() { try removeUnusedStamps() }
        return result
    }

    /// True if there may be something to remove, or if the size of the log should be counted anew.
    ///
    /// It reads the first entries of two indexes and what the log got since its last count, and
    /// takes no lock.
    private func mayTrimLog(to retention: LogRetention) throws -> Bool {
        guard retention.age != nil || retention.byteCount != nil else { return false }
        let extent = try read(isCounted: false) { try LogExtent($0) }
        guard let extent else { return false }
        if extent.uncountedBytes > Self.leastUncounted { return true }
        let rule = TrimmingRule(
            retention,
            wallMilliseconds: environment.wallMilliseconds()
                .addingReportingOverflow(extent.clockOffset).partialValue)
        return extent.oldestTimes.contains { rule.removes($0, from: extent.byteCount) }
    }

    /// The bytes that the log must get until its size is counted and kept anew.
    private static let leastUncounted = 1 << 20
}

/// The size and the age of the log, by which a rule decides if there is something to remove.
struct LogExtent {
    let byteCount: Int
    let uncountedBytes: Int
    /// The times of the first save that the zone holds, and of the first of unsynced objects.
    let oldestTimes: [HybridTimestamp]
    /// The milliseconds to add to the device's clock to get the server's.
    let clockOffset: Int64

    /// Reads the extent; `nil` if the store never synced.
    init?(_ reader: StoreReader) throws {
        let state = try StoreState.read(reader.connection)
        guard state.cursor != nil else { return nil }
        let size = try LogSize(reader.connection)
        byteCount = size.byteCount
        uncountedBytes = size.uncountedBytes
        oldestTimes = try reader.oldestTimes()
        clockOffset = state.clockOffset
    }
}

extension StoreReader {
    /// The times of the first save that the zone holds and of the first save of unsynced objects,
    /// leaving out the last save of all, which always stays.
    fileprivate func oldestTimes() throws -> [HybridTimestamp] {
        let newest = try logPosition()
        return try [
            """
            SELECT hlc FROM ab_changeset WHERE server_position IS NOT NULL AND position <> ?
            ORDER BY server_position LIMIT 1
            """, "SELECT hlc FROM ab_unsynced WHERE position <> ? ORDER BY position LIMIT 1",
        ].compactMap { sql in
            let value = try connection.firstValue(sql, .integer(newest))
            guard case .integer(let time)? = value else { return nil }
            return HybridTimestamp(rawValue: UInt64(bitPattern: time))
        }
    }
}
