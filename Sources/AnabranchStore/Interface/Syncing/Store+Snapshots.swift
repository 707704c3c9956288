import AnabranchReplication
import AnabranchSQLite

extension Store {
    /// Stores one chunk of a snapshot. Received chunks survive a crash, so that the transfer
    /// continues.
    ///
    /// - Parameters:
    ///   - chunk: An encoded `SnapshotChunk`.
    ///   - number: The next chunk of the staged snapshot, or 0, which begins another snapshot.
    /// - Throws: ``StoreError`` `malformedChangeSet` if the bytes are no chunk, or not the next
    ///   one. Nothing was changed.
    package func stage(_ chunk: [UInt8], number: UInt64, of snapshot: StagedSnapshot) throws {
        try write { transaction in
            let stage = SnapshotStage(connection: transaction.connection)
            if number == 0 { try stage.begin(snapshot) }
            guard let staged = try stage.staged(), staged.cursor == snapshot.cursor,
                staged.digest == snapshot.digest, staged.held == number
            else {
                throw StoreError(
                    .malformedChangeSet,
                    "Can't keep chunk \(number) of a snapshot because it is not the next one.",
                    path: path)
            }
            try stage.add(chunk, number: number)
        }
    }

    /// Makes the next exchange take a snapshot, even if the zone's log has everything.
    package func wantSnapshot() throws {
        try write { transaction in transaction.state.wantsSnapshot = true }
    }

    /// Replaces all records by a completely received snapshot, and applies what this file holds
    /// beyond it again, in one transaction.
    ///
    /// Local changes that the zone does not have yet are kept, and stay pending. The change sets of
    /// the log stay as history. Change sets that the snapshot includes and the log never had are
    /// missing from the history.
    ///
    /// - Parameter isPushBlocked: True if change sets that the zone lacks cannot be pushed, so that
    ///   the load does not wait for that.
    /// - Returns: The records that were inserted, deleted or may have changed; `nil` if the
    ///   received chunks do not have the snapshot's digest and were discarded.
    /// - Throws: ``StoreError``; nothing was changed. `cursorMoved` if the store is already beyond
    ///   the snapshot, has saves that must be pushed first, or has no complete snapshot.
    package func loadSnapshot(isPushBlocked: Bool = false) throws -> ChangedRecords? {
        try write { transaction in
            let stage = SnapshotStage(connection: transaction.connection)
            guard let snapshot = try stage.staged(), snapshot.isWhole,
                !(try transaction.isBeyond(snapshot.cursor))
            else {
                throw StoreError(
                    .cursorMoved,
                    "Can't load a snapshot because the store has no complete one, or needs none.",
                    path: path)
            }
            guard try stage.digest(of: snapshot) == snapshot.digest else {
                try stage.clear()
                return nil
            }
            var load = try SnapshotLoad(transaction, snapshot, isPushBlocked: isPushBlocked)
            var changed = try load.run(stage) {
                var operation = ApplyOperation(transaction)
                try operation.reconsiderAll()
            }
            try transaction.addUnloggedChange()
            changed.conflicts = try transaction.writeConflicts()
            changed.snapshotRecordCount = load.recordCount
            return changed
        }
    }
}

extension StateTransaction {
    /// True if the file already holds more of the same log.
    fileprivate func isBeyond(_ cursor: LogCursor) throws -> Bool {
        guard !state.wantsSnapshot, let present = state.cursor, present.epoch == cursor.epoch
        else { return false }
        return present.position >= cursor.position
    }
}
