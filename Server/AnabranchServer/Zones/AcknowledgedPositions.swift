import AnabranchReplication
import Synchronization

/// Positions that replicas have acknowledged and that are not written yet.
///
/// They are written with the next push or when the zone closes. A pull without new change sets
/// therefore writes nothing.
final class AcknowledgedPositions: Sendable {
    /// The greatest number of waiting replicas; a replica beyond it repeats its position in its
    /// next `hello`.
    static let limit = 4096

    private let positions = Mutex<[ReplicaID: UInt64]>([:])

    func record(_ replica: ReplicaID, at position: UInt64) {
        positions.withLock { positions in
            guard positions.count < Self.limit || positions[replica] != nil else { return }
            positions[replica] = position
        }
    }

    func flush(into writer: any ZoneWriting) throws {
        let taken = take()
        if !taken.isEmpty { try writer.acknowledge(taken) }
    }

    /// Writes the positions in a transaction of its own, if there are any.
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
