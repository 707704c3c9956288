import AnabranchSQLite

/// The result of the compaction of a store's file.
public struct CompactionResult: Hashable, Sendable {
    /// The number of saves that were removed from the log.
    public internal(set) var removedSaveCount = 0
    /// The size of the file in bytes before.
    package internal(set) var byteCountBefore = 0
    /// The size of the file in bytes afterwards.
    public internal(set) var byteCount = 0
}

extension Store {
    /// Removes from the log what a retention rule does not keep, and gives the free space of the
    /// file back to the disk.
    ///
    /// SQLite writes the whole file anew, so the disk needs room for a second one. Other processes
    /// can read meanwhile, and wait before they write.
    ///
    /// - Parameter retention: The rule; `nil` is that of the store's options.
    /// - Throws: ``StoreError``. If there was no room or another process was writing, the file is
    ///   as before, except for removed saves.
    package func compact(keeping retention: LogRetention? = nil) throws -> CompactionResult {
        var result = CompactionResult()
        result.byteCountBefore = try byteCount()
        result.removedSaveCount = try trimLog(to: retention).saveCount
        try removeUnusedStamps()
        try withWriter { connection in
            try connection.execute("VACUUM")
            // A process that still reads keeps SQLite's log; the next checkpoint shortens it then.
            _ = try connection.firstValue("PRAGMA wal_checkpoint(TRUNCATE)")
        }
        result.byteCount = try byteCount()
        return result
    }

    private func byteCount() throws -> Int {
        try read { try $0.byteCount() }
    }
}
