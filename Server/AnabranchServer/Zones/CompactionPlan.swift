package import AnabranchProtocol
import AnabranchReplication

/// When logs are compacted without a command, and what that leaves.
public struct CompactionPlan: Hashable, Sendable {
    /// The time between two compactions of all zones.
    public var interval: Duration
    /// The number of entries at the end of a log that stay complete.
    public var keptEntries: UInt64 = 10_000
    /// The age in milliseconds up to which entries stay complete, by the time of their saves.
    public var keptMilliseconds: Int64 = 0
    /// The time in milliseconds for which a replica that was seen keeps the entries that it lacks.
    public var awayMilliseconds: Int64 = 30 * 86_400_000

    /// Creates a plan with the default limits.
    public init(interval: Duration) { self.interval = interval }
}

extension ZoneService {
    /// Compacts the log as a plan says.
    ///
    /// - Returns: `nil` if there is nothing to remove; then not even a snapshot is written.
    package func compact(by plan: CompactionPlan) throws(ProtocolError) -> ZoneCompaction? {
        let limit = try named { () throws -> UInt64? in
            try flushAcknowledgements()
            return try storage.read { try compactionLimit(plan, $0) }
        }
        return try limit.map { limit throws(ProtocolError) in
            try compact(keeping: plan.keptEntries, through: limit)
        }
    }

    /// The last position that a plan allows to compact; `nil` if there is none.
    private func compactionLimit(
        _ plan: CompactionPlan, _ reader: any ZoneReading
    ) throws -> UInt64? {
        let now = wallMilliseconds()
        let log = try reader.logState()
        var limit = log.head.position - min(plan.keptEntries, log.head.position)
        for (replica, last) in try reader.acknowledgements()
        where last.isSeen && now - last.seen <= plan.awayMilliseconds && last.position < limit {
            // An earlier server also recorded replicas that have pushed nothing.
            if try reader.head(of: replica) != nil { limit = last.position }
        }
        guard limit > log.startPosition else { return nil }
        if plan.keptMilliseconds > 0 {
            limit = try last(
                until: now - plan.keptMilliseconds, from: log.startPosition, through: limit, reader)
        }
        return limit > log.startPosition ? limit : nil
    }

    /// The last position of a range before which the saves are not later than a time, by bisection.
    ///
    /// The times of several replicas do not ascend strictly, so an entry near the result may be a
    /// little later.
    private func last(
        until time: Int64, from start: UInt64, through end: UInt64, _ reader: any ZoneReading
    ) throws -> UInt64 {
        var (low, high) = (start, end)
        while low < high {
            let middle = high - (high - low) / 2
            let page = try reader.changeSets(after: middle - 1, byteLimit: 0)
            let saved = try page.changeSets.first.map {
                try ChangeSet(decoding: $0).timestamp.wallMilliseconds
            }
            if let saved, saved <= time { low = middle } else { high = middle - 1 }
        }
        return low
    }
}
