package import AnabranchReplication
import AnabranchSQLite

extension Store {
    /// The cursor of an earlier position, expressed in another epoch.
    ///
    /// The cost is proportional to the distance between the two positions. The running digest
    /// covers the entries of a log but not its epochs. So a zone's log with the same digest at the
    /// same position is the same log up to there.
    ///
    /// - Parameters:
    ///   - position: A position that is not after the store's cursor, and not before the start of
    ///     this file's part of the log.
    ///   - earlier: A known cursor in the epoch that the result names.
    /// - Returns: `nil` if this file's log no longer has one of the zone's entries.
    package func cursor(at position: UInt64, behind earlier: LogCursor) throws -> LogCursor? {
        try read { reader in
            var cursor = earlier
            if let start = try StoreState.read(reader.connection).start,
                start.position > earlier.position
            {
                cursor = LogCursor(
                    epoch: earlier.epoch, position: start.position, running: start.running)
            }
            let statement = try reader.connection.cached(
                """
                SELECT c.kind, r.id, c.seq, c.position, c.origin, c.server_position
                FROM ab_changeset c JOIN ab_head r ON r.ordinal = c.replica
                WHERE c.server_position > ? AND c.server_position <= ?
                ORDER BY c.server_position
                """, Int64(clamping: cursor.position), Int64(clamping: position))
            let log = ChangeLog(connection: reader.connection, replicas: try reader.replicas())
            while try statement.step() {
                guard let next = try cursor.advanced(over: statement, of: log, in: path) else {
                    break
                }
                cursor = next
            }
            return cursor.position == position ? cursor : nil
        }
    }

    /// Goes back to the last position at which the zone's log and this file's are equal, after the
    /// zone was restored from a backup or created again.
    ///
    /// Everything that the zone has lost is pushed again, whichever replica saved it, in the order
    /// of this file's log. Nothing that the store shows changes. Before the start of this file's
    /// part of the log it is unknown what the zone has lost; in that case a snapshot must follow,
    /// and a copy of the file is kept, because the snapshot may lack records that only the file
    /// still has.
    ///
    /// - Parameter cursor: A cursor in the zone's present log, not after the store's own.
    /// - Returns: The path of the copy, beside the file; `nil` if none was needed, and for a store
    ///   in memory.
    /// - Throws: ``StoreError``, also if the disk has no room for the copy; nothing was changed.
    @discardableResult
    package func rewind(to cursor: LogCursor) throws -> String? {
        let copy = try copyBeforeRewinding(to: cursor)
        try write { transaction in
            let present = transaction.state.cursor ?? LogCursor(startOf: cursor.epoch)
            guard present.position >= cursor.position else {
                throw StoreError(
                    .cursorMoved,
                    "Can't go back to \(cursor) because the store has not reached it yet.",
                    path: path)
            }
            try transaction.rewriteContexts(for: cursor)
            try transaction.connection.run(
                """
                UPDATE ab_changeset SET epoch = NULL, server_position = NULL
                WHERE server_position > ?
                """, .integer(Int64(bitPattern: cursor.position)))
            try transaction.log.lowerPlaced(below: 1)
            try transaction.log.raisePlaced()
            // Later saves must name these change sets in their contexts.
            try transaction.connection.run(
                """
                UPDATE ab_replica SET own = 1 WHERE ordinal IN
                (SELECT replica FROM ab_changeset WHERE \(ChangeLog.isUnplaced))
                """)
            if let start = transaction.state.start, cursor.position < start.position {
                transaction.state.wantsSnapshot = true
                try transaction.log.forgetPlaces(after: cursor.position)
            }
            transaction.state.cursor = cursor
        }
        return copy
    }

    private func copyBeforeRewinding(to cursor: LogCursor) throws -> String? {
        let copy = StoreCopy(
            path: path, occasion: .restoredZone(cursor.epoch), freeBytes: environment.freeBytes)
        return try withWriter { connection in
            guard environment.vfs == nil, let start = try StoreState.read(connection).start,
                cursor.position < start.position
            else { return nil }
            try connection.transaction(.immediate) {
                try copy.write(of: connection) { _, write in try write() }
            }
            return copy.file
        }
    }
}
