public import AnabranchProtocol
import AnabranchReplication

/// The result of compacting a zone's log.
public struct ZoneCompaction: Hashable, Sendable {
    /// The position of the last compacted entry, which has no payload any more.
    public var startPosition: UInt64
    /// The number of payloads that this compaction removed.
    public var forgottenCount: UInt64
    /// The number of dead records that are now deleted for good.
    public var finalDeleteCount: Int
}

extension ZoneService {
    /// Removes the payloads of change sets that a snapshot replaces, except the newest ones, and
    /// makes deletes before the horizon final.
    ///
    /// The names of the change sets stay forever, so the zone still recognizes a repeated push and
    /// a fork. A client that was last connected before the horizon pushes its changes and takes a
    /// snapshot. A delete under `updateWins` becomes an ordinary delete by an entry that the zone
    /// appends to its own log, so every replica makes it final at the same position.
    ///
    /// - Parameter count: The number of entries at the end of the log that stay complete.
    public func compact(keeping count: UInt64) throws(ProtocolError) -> ZoneCompaction {
        try compact(keeping: count, through: .max)
    }

    /// Removes the payloads of change sets as ``compact(keeping:)`` does, only up to a position.
    func compact(
        keeping count: UInt64, through limit: UInt64
    ) throws(ProtocolError) -> ZoneCompaction {
        try named {
            let before = try storage.read { try $0.logState() }
            let head = before.head.position
            let horizon = max(
                min(head > count ? head - count : 0, limit), before.startPosition)
            let finalDeletes = try finalizeDeletes(through: horizon)
            // Payloads are removed only after a snapshot exists that replaces them.
            let snapshot = try newestSnapshot(atMost: count, isPatient: true)
                .name.cursor.position
            let start = min(horizon, snapshot)
            var position = before.startPosition
            while position < start {
                position = min(position + Self.forgottenTogether, start)
                try transactions.write { [position] in try $0.forgetChangeSets(through: position) }
            }
            return ZoneCompaction(
                startPosition: position, forgottenCount: position - before.startPosition,
                finalDeleteCount: finalDeletes)
        }
    }

    /// A small batch, so that a push does not wait long for the write lock.
    private static let forgottenTogether: UInt64 = 2000

    private func finalizeDeletes(through horizon: UInt64) throws -> Int {
        var total = 0
        while true {
            let count = try transactions.write { try finalizeSomeDeletes(through: horizon, $0) }
            total += count
            guard count == Self.finalizedTogether else { break }
        }
        if total > 0 { grew(to: try head()) }
        return total
    }

    private static let finalizedTogether = 1000

    private func finalizeSomeDeletes(
        through horizon: UInt64, _ writer: ZoneDraft
    ) throws -> Int {
        let dead = try writer.sent().deadRecords(through: horizon, limit: Self.finalizedTogether)
        guard !dead.isEmpty else { return 0 }
        var log = writer.logState()
        let now = wallMilliseconds()
        let intake = PushProcessor(
            limits: limits, wallMilliseconds: wallMilliseconds, zone: name, validation: nil,
            metrics: metrics)
        let set = try horizonSet(deleting: dead, log, now: now, writer)
        var needs = ZoneNeeds()
        // The operator's limits hold for clients.
        let incoming = try IncomingChangeSet(
            decoding: set.encoded(), limits: ZoneLimits(), checkingDigest: true, adding: &needs)
        _ = try intake.take(incoming, into: writer, after: &log, now: now)
        return dead.count
    }

    /// A save of the zone itself; its replica ID is the epoch.
    private func horizonSet(
        deleting dead: [(WireName, RecordID)], _ log: LogState, now: Int64,
        _ writer: ZoneDraft
    ) throws -> ChangeSet {
        let author = log.head.epoch
        let head = try writer.head(of: author)
        var payload = ChangePayloadEncoder(author: author)
        for (entity, records) in Dictionary(grouping: dead, by: \.0).sorted(by: {
            $0.key < $1.key
        }) {
            payload.append(.delete(RecordBlock(entity: entity, records: records.map(\.1))))
        }
        let clock = HybridTimestamp(wallMilliseconds: max(now, 0), counter: 0)
        return ChangeSet(
            saving: payload.finish(),
            dot: Dot(replica: author, sequence: (head?.sequence ?? 0) + 1),
            timestamp: max(
                clock, HybridTimestamp(rawValue: log.greatestTimestamp.rawValue + 1)),
            author: "horizon", previousOrigin: head?.origin ?? .zero,
            context: CausalContext(
                prefix: .init(epoch: author, position: log.head.position), beyond: []))
    }
}
