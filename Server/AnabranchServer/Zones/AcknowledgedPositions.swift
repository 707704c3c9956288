import AnabranchReplication
import Synchronization

/// How far replicas have said that they have taken in the log, until it is written.
///
/// Written along with the next push or when the zone closes, never for its own sake: a pull that
/// finds nothing writes nothing.
final class AcknowledgedPositions: Sendable {
    /// Replicas that wait; what comes beyond is told again by the replica's next `hello`.
    static let limit = 4096

    private let positions = Mutex<[ReplicaID: UInt64]>([:])

    func note(_ replica: ReplicaID, at position: UInt64) {
        positions.withLock { positions in
            guard positions.count < Self.limit || positions[replica] != nil else { return }
            positions[replica] = position
        }
    }

    func flush(into writer: any ZoneWriting) throws {
        let taken = take()
        if !taken.isEmpty { try writer.acknowledge(taken) }
    }

    /// In a transaction of its own where there is anything.
    func flush(into storage: any ZoneStorage) throws {
        let taken = take()
        if !taken.isEmpty { try storage.write { try $0.acknowledge(taken) } }
    }

    private func take() -> [ReplicaID: UInt64] {
        positions.withLock { positions in
            defer { positions = [:] }
            return positions
        }
    }
}
