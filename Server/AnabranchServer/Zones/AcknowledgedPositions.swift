import AnabranchReplication
import Synchronization

/// Positions that replicas have acknowledged and that are not written yet.
///
/// They are written with the next push, when the zone closes, and otherwise once an hour, so that
/// other daemons learn which replicas are alive. Only replicas that have pushed are recorded.
final class AcknowledgedPositions: Sendable {
    /// The greatest number of waiting replicas; a replica beyond it repeats its position in its
    /// next `hello`.
    static let limit = 4096

    /// The time after which positions are written without a push.
    static let longestMilliseconds: Int64 = 3_600_000

    private struct Waiting {
        var positions: [ReplicaID: Acknowledgement] = [:]
        /// The time of the first of them.
        var since: Int64 = 0
    }

    private let waiting = Mutex(Waiting())

    /// Records that a replica said hello.
    ///
    /// - Returns: True if positions have waited so long that they are to be written.
    func record(_ replica: ReplicaID, at position: UInt64, now: Int64) -> Bool {
        waiting.withLock { waiting in
            if waiting.positions.isEmpty { waiting.since = now }
            if waiting.positions.count < Self.limit || waiting.positions[replica] != nil {
                waiting.positions[replica] = Acknowledgement(position: position, seen: now)
            }
            return now - waiting.since >= Self.longestMilliseconds
        }
    }

    func remove(_ replica: ReplicaID) {
        waiting.withLock { _ = $0.positions.removeValue(forKey: replica) }
    }

    func flush(into writer: ZoneDraft) {
        let taken = take()
        if !taken.isEmpty { writer.acknowledge(taken) }
    }

    /// Writes the positions in a transaction of its own, if there are any.
    func flush(into transactions: ZoneTransactions) throws {
        let taken = take()
        if !taken.isEmpty { try transactions.write { $0.acknowledge(taken) } }
    }

    private func take() -> [ReplicaID: Acknowledgement] {
        waiting.withLock { waiting in
            defer { waiting.positions = [:] }
            return waiting.positions
        }
    }
}
