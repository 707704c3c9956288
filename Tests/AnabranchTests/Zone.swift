import Anabranch
import AnabranchReplication
import AnabranchStore

/// The log of a zone in memory.
final class Zone {
    private let epoch = EpochID(high: 1, low: 2)
    private(set) var log: [ChangeSet] = []

    /// Sends the change sets that a store has not sent, and applies those that it has not seen.
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
