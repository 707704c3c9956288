public import AnabranchProtocol
import AnabranchReplication

/// What a compaction of a zone's log has done.
public struct ZoneCompaction: Hashable, Sendable {
    /// Of the last entry of which the log keeps only the name.
    public var startPosition: UInt64
    /// Change sets that were forgotten now.
    public var forgottenCount: UInt64
    /// Deleted records that can't live again any more.
    public var finalDeleteCount: Int
}

extension ZoneService {
    /// Forgets change sets that a snapshot stands for, except the newest ones, and makes the
    /// deletes that lie behind the horizon final.
    ///
    /// The names of the sets stay for ever: what is pushed a second time is known, and a fork is
    /// told. A client that comes back from before the horizon pushes what it has and takes a
    /// snapshot. A delete that updates may win against becomes an ordinary one, by an entry that
    /// the zone writes into its own log; so every replica makes it final at the same place.
    ///
    /// - Parameter count: Entries at the end of the log that stay whole.
    public func compact(keeping count: UInt64) throws(ProtocolError) -> ZoneCompaction {
        try named {
            let before = try storage.read { try $0.logState() }
            let head = before.head.position
            let horizon = max(head > count ? head - count : 0, before.startPosition)
            let finalDeletes = try finalizeDeletes(through: horizon)
            // Not before there is something that stands for what is forgotten.
            let snapshot = try newestSnapshot(atMost: count).name.cursor.position
            let start = min(horizon, snapshot)
            var position = before.startPosition
            while position < start {
                position = min(position + Self.forgottenTogether, start)
                try storage.write { [position] in try $0.forgetChangeSets(through: position) }
            }
            return ZoneCompaction(
                startPosition: position, forgottenCount: position - before.startPosition,
                finalDeleteCount: finalDeletes)
        }
    }

    /// So that no push waits long for the writer.
    private static let forgottenTogether: UInt64 = 2000

    private func finalizeDeletes(through horizon: UInt64) throws -> Int {
        var total = 0
        while true {
            let count = try storage.write { try finalizeSomeDeletes(through: horizon, $0) }
            total += count
            guard count == Self.finalizedTogether else { break }
        }
        if total > 0 { observers.tell(try head()) }
        return total
    }

    private static let finalizedTogether = 1000

    private func finalizeSomeDeletes(
        through horizon: UInt64, _ writer: any ZoneWriting
    ) throws -> Int {
        let dead = try writer.deadRecords(through: horizon, limit: Self.finalizedTogether)
        guard !dead.isEmpty else { return 0 }
        var log = try writer.logState()
        let now = wallMilliseconds()
        let intake = PushIntake(
            limits: limits, wallMilliseconds: wallMilliseconds, zone: name, validation: nil,
            disabled: disabled)
        let set = try horizonSet(deleting: dead, log, now: now, writer)
        _ = try intake.take(
            IncomingChangeSet(decoding: set.encoded(), limits: limits, checkingDigest: true),
            into: writer, after: &log, now: now)
        return dead.count
    }

    /// A save of the zone's own: its author is the epoch.
    private func horizonSet(
        deleting dead: [(WireName, RecordID)], _ log: LogState, now: Int64,
        _ writer: any ZoneWriting
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
