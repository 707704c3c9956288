package import AnabranchReplication
import AnabranchStore

/// A change set as a store file's log holds it, for tools that inspect saves.
///
/// An app that tracks changes uses ``PersistentStoreCoordinator/history(after:limit:)``, which
/// reports objects instead of encoded operations.
package struct LoggedChangeSet: Sendable {
    /// The position in this file's log, in which change sets stand in the order of their arrival.
    package let position: HistoryPosition
    /// The position in the zone's log; `nil` if the change set is not known to be there.
    package let zonePosition: UInt64?
    package let changeSet: ChangeSet

    init(_ entry: StoredLogEntry) {
        position = HistoryPosition(rawValue: entry.localPosition)
        zonePosition = entry.place?.position
        changeSet = entry.changeSet
    }
}

extension PersistentStoreCoordinator {
    /// Returns the change sets after a position of this file's log, oldest first. Those that the
    /// store's retention rule has removed are missing.
    ///
    /// - Parameters:
    ///   - position: The position; only later change sets are returned.
    ///   - limit: The greatest number of change sets.
    /// - Throws: `StoreError`.
    package func changeSets(
        after position: HistoryPosition = .start, limit: Int = .max
    ) throws -> [LoggedChangeSet] {
        try store.read { try $0.changeSets(after: position.rawValue, limit: limit) }
            .map(LoggedChangeSet.init)
    }

    /// Calls a closure with each block of operations of a change set. A save that is stored in
    /// parts is read part by part, and so it is never in memory as a whole.
    ///
    /// - Parameters:
    ///   - set: The change set.
    ///   - body: The closure. An error that it throws ends the iteration.
    /// - Throws: `StoreError`; `ChangeSetDecodingError` if the change set has a later format; the
    ///   errors of `body`.
    package func forEachBlock(
        of set: LoggedChangeSet, _ body: (ChangeBlock) throws -> Void
    ) throws {
        try store.forEachBlock(of: set.changeSet, body)
    }

    /// Returns the change set with a dot.
    ///
    /// - Returns: `nil` if the log does not hold it.
    /// - Throws: `StoreError`.
    package func changeSet(_ dot: Dot) throws -> LoggedChangeSet? {
        try store.read { try $0.changeSet(dot) }.map(LoggedChangeSet.init)
    }
}
