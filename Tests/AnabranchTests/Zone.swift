import Anabranch
import AnabranchReplication
import AnabranchStore

/// A zone's log in memory.
final class Zone {
    private let epoch = EpochID(high: 1, low: 2)
    private var log: [ChangeSet] = []

    /// Sends what a store has not sent, and applies what it has not seen.
    @discardableResult
    func exchange(_ coordinator: PersistentStoreCoordinator) throws -> ChangedRecords {
        let store = coordinator.store
        for pending in try store.pending(byteLimit: .max) { log.append(pending.changeSet) }
        let after = try store.syncState().cursor ?? LogCursor(startOf: epoch)
        let sets = Array(log.dropFirst(Int(after.position)))
        let cursor = sets.reduce(after) { $0.advanced(over: $1) }
        return try store.apply(RemotePage(changeSets: sets, after: after, cursor: cursor))
    }

    @discardableResult
    func exchange(_ graph: Graph) throws -> ChangedRecords { try exchange(graph.coordinator) }
}
