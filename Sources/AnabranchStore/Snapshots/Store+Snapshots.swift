import AnabranchReplication
import AnabranchSQLite

extension Store {
    /// Keeps one chunk of a snapshot. What has come stays over a crash, so that a transfer goes on
    /// where it was.
    ///
    /// - Parameters:
    ///   - chunk: An encoded `SnapshotChunk`.
    ///   - number: The next one of the snapshot that is staged, or 0, which begins another.
    /// - Throws: ``StoreError`` `malformedChangeSet` where the bytes are no chunk, or not the next
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

    /// Has the next exchange take a snapshot, whatever the zone's log still has.
    package func wantSnapshot() throws {
        try write { transaction in transaction.state.wantsSnapshot = true }
    }

    /// Puts a snapshot that has come whole in the place of all records, and applies to it again
    /// what this file holds beyond it, all in one transaction.
    ///
    /// Own changes that the zone does not have yet stay, and stay pending. The sets of the log stay
    /// as history; what the snapshot stands for and the log never had is missing from it.
    ///
    /// - Parameter isPushBlocked: Whether what the zone does not have can't be sent to it, so that
    ///   it is not waited for.
    /// - Returns: The records that are new, gone, or may have changed; `nil` where what has come is
    ///   not what the zone has sent, and was thrown away.
    /// - Throws: ``StoreError``; nothing was changed. `cursorMoved` where the store has gone on
    ///   behind the snapshot, has saves that the zone has to name first, or none has come whole.
    package func loadSnapshot(isPushBlocked: Bool = false) throws -> ChangedRecords? {
        try write { transaction in
            let stage = SnapshotStage(connection: transaction.connection)
            guard let snapshot = try stage.staged(), snapshot.isWhole,
                !(try transaction.isBeyond(snapshot.cursor))
            else {
                throw StoreError(
                    .cursorMoved, "Can't load a snapshot because none is wanted here.", path: path)
            }
            guard try stage.digest(of: snapshot) == snapshot.digest else {
                try stage.clear()
                return nil
            }
            var load = try SnapshotLoad(transaction, snapshot, isPushBlocked: isPushBlocked)
            var changed = try load.run(stage)
            changed.conflicts = try transaction.settleConflicts()
            return changed
        }
    }
}

extension WriteTransaction {
    /// Whether the file has taken in more of the same log already.
    fileprivate func isBeyond(_ cursor: LogCursor) throws -> Bool {
        guard !state.wantsSnapshot, let present = state.cursor, present.epoch == cursor.epoch
        else { return false }
        return present.position >= cursor.position
    }
}
