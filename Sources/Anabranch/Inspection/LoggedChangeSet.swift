public import AnabranchReplication
import AnabranchStore

/// A change set as a store file's log has it, for tools that look at what was saved.
///
/// An app that follows changes uses ``PersistentStoreCoordinator/history(after:limit:)``, which
/// speaks of objects instead of bytes.
public struct LoggedChangeSet: Sendable {
    /// In this file's log: the order in which the file came to hold its sets.
    public let position: HistoryPosition
    /// In the zone's log; `nil` while the set is not known to be there.
    public let zonePosition: UInt64?
    public let changeSet: ChangeSet

    init(_ entry: LogEntry) {
        position = HistoryPosition(rawValue: entry.localPosition)
        zonePosition = entry.place?.position
        changeSet = entry.changeSet
    }
}

extension PersistentStoreCoordinator {
    /// Change sets behind a position of this file's log, oldest first.
    ///
    /// - Throws: ``StoreError``.
    public func changeSets(
        after position: HistoryPosition = .start, limit: Int = .max
    ) throws -> [LoggedChangeSet] {
        try store.read { try $0.changeSets(after: position.rawValue, limit: limit) }
            .map(LoggedChangeSet.init)
    }

    /// Goes through what a set did, a piece at a time: also a save in parts is never in memory
    /// whole.
    ///
    /// - Throws: ``StoreError``, ``ChangeSetDecodingError`` where that is of a later format, and
    ///   what `body` throws.
    public func forEachBlock(
        of set: LoggedChangeSet, _ body: (ChangeBlock) throws -> Void
    ) throws {
        try store.forEachBlock(of: set.changeSet, body)
    }

    /// - Returns: `nil` where the log does not hold the set.
    /// - Throws: ``StoreError``.
    public func changeSet(_ dot: Dot) throws -> LoggedChangeSet? {
        try store.read { try $0.changeSet(dot) }.map(LoggedChangeSet.init)
    }
}
