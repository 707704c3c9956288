public import AnabranchStore

extension PersistentStoreCoordinator {
    /// Removes old saves from the log, and gives the free space of the file back to the disk.
    ///
    /// The sync engine removes saves from the log by itself, by `StoreOptions.logRetention`; the
    /// file then has free space for later saves. Call this to make the file smaller at once, off
    /// the main thread: it writes the whole file anew. Only saves that the zone holds are removed.
    ///
    /// - Parameter retention: The rule; `nil` is that of the store's options.
    /// - Returns: The number of removed saves and the sizes of the file.
    /// - Throws: `StoreError`, for example `diskFull` if the disk has no room for a second file.
    @discardableResult
    public func compact(keeping retention: LogRetention? = nil) throws -> CompactionResult {
        try store.compact(keeping: retention)
    }

    /// Returns the position up to which saves may have been removed from the history.
    ///
    /// An app that has read the history up to this position or further can continue.
    ///
    /// - Returns: ``HistoryPosition/start`` if none was removed.
    /// - Throws: `StoreError`.
    public func expiredHistoryPosition() throws -> HistoryPosition {
        HistoryPosition(rawValue: try store.read { try $0.trimmedPosition() })
    }
}
