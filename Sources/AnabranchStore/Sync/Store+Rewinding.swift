package import AnabranchReplication
import AnabranchSQLite

extension Store {
    /// The cursor that the store had at an earlier position, named as of another epoch.
    ///
    /// Costs what lies between the two positions. The running digest covers what the log held up
    /// to there and not its epochs: where a zone's log has the same one at the same position, the
    /// two logs are the same up to it.
    ///
    /// - Parameters:
    ///   - position: Not beyond the store's cursor, nor before the start of this file's part of
    ///     the log.
    ///   - earlier: One that is known, of the epoch that the cursor is to name.
    /// - Returns: `nil` where this file's log no longer has one of the zone's entries.
    package func cursor(at position: UInt64, behind earlier: LogCursor) throws -> LogCursor? {
        try read { reader in
            var cursor = earlier
            if let start = try StoreState.read(reader.connection).start,
                start.position > earlier.position
            {
                cursor = LogCursor(
                    epoch: earlier.epoch, position: start.position, digestHigh: start.digestHigh,
                    digestLow: start.digestLow)
            }
            let statement = try reader.connection.cached(
                """
                SELECT c.kind, r.id, c.seq, c.digest, c.origin, c.server_position
                FROM ab_changeset c JOIN ab_replica r ON r.ordinal = c.replica
                WHERE c.server_position > ? AND c.server_position <= ?
                ORDER BY c.server_position
                """)
            try statement.bind(Int64(clamping: cursor.position), at: 1)
            try statement.bind(Int64(clamping: position), at: 2)
            while try statement.step() {
                guard let next = try cursor.advanced(over: statement, in: path) else { break }
                cursor = next
            }
            statement.reset()
            return cursor.position == position ? cursor : nil
        }
    }

    /// Goes back to where the zone's log and this file's are still the same: the zone was restored
    /// from a backup, or begun anew.
    ///
    /// What the zone has lost is sent again, whoever saved it, in the order of this file's log.
    /// Nothing that the store shows changes. Before the start of this file's part of the log it
    /// can't be told what the zone has lost: then a snapshot has to follow.
    ///
    /// - Parameter cursor: Of the zone's present log, not beyond the store's own.
    /// - Throws: ``StoreError``; nothing was changed.
    package func rewind(to cursor: LogCursor) throws {
        try write { transaction in
            let present = transaction.state.cursor ?? LogCursor(startOf: cursor.epoch)
            guard present.position >= cursor.position else {
                throw StoreError(
                    .cursorMoved,
                    "Can't go back to \(cursor) because the store is not there yet.", path: path)
            }
            try transaction.rewriteContexts(for: cursor)
            try transaction.connection.run(
                """
                UPDATE ab_changeset SET epoch = NULL, server_position = NULL
                WHERE server_position > ?
                """, .integer(Int64(bitPattern: cursor.position)))
            // Who saves from now on says that these are held, too.
            try transaction.connection.run(
                """
                UPDATE ab_replica SET own = 1 WHERE ordinal IN
                (SELECT replica FROM ab_changeset WHERE server_position IS NULL)
                """)
            if let start = transaction.state.start, cursor.position < start.position {
                transaction.state.wantsSnapshot = true
            }
            transaction.state.cursor = cursor
        }
    }
}

extension LogCursor {
    /// - Parameter row: Of kind, replica, sequence, digest, origin, position.
    ///
    /// - Returns: `nil` where the row is not that of the next position.
    fileprivate func advanced(over row: Statement, in path: String) throws -> LogCursor? {
        guard UInt64(bitPattern: row.int64(at: 5)) == position + 1 else { return nil }
        guard let replica = ReplicaID(bytes: row.bytes(at: 1)),
            let digest = Digest(bytes: row.bytes(at: 3)),
            let origin = Digest(bytes: row.bytes(at: 4))
        else {
            throw StoreError(
                .corrupt, "Can't go back in the log because its entry \(position + 1) is damaged.",
                path: path)
        }
        return advanced(
            kind: LogEntryKind(rawValue: UInt8(truncatingIfNeeded: row.int64(at: 0))),
            dot: Dot(replica: replica, sequence: UInt64(bitPattern: row.int64(at: 2))),
            digest: digest, origin: origin)
    }
}

extension WriteTransaction {
    /// What is held of replicas whose last set is not in this file's log any more. Nobody can tell
    /// who knew of it, so all who are sent again and may have known it say so: a zone that took
    /// them in before it would give them another order than this file did.
    private func forgottenHeads() throws -> [ReplicaID: CausalContext.Entry] {
        let statement = try connection.cached(
            """
            SELECT id, seen, origin FROM ab_replica r WHERE seen > 0 AND NOT EXISTS
            (SELECT 1 FROM ab_changeset WHERE replica = r.ordinal AND seq = r.seen)
            """)
        var heads: [ReplicaID: CausalContext.Entry] = [:]
        while try statement.step() {
            guard let replica = ReplicaID(bytes: statement.bytes(at: 0)),
                let origin = Digest(bytes: statement.bytes(at: 2))
            else { continue }
            heads[replica] = CausalContext.Entry(
                dot: Dot(replica: replica, sequence: UInt64(bitPattern: statement.int64(at: 1))),
                originPrefix: origin.prefix)
        }
        return heads
    }

    /// The first position of the zone's log of which this file's log has no entry any more.
    private func firstHole(behind position: UInt64) throws -> UInt64 {
        let statement = try connection.cached(
            """
            SELECT server_position FROM ab_changeset WHERE server_position > ?
            ORDER BY server_position
            """)
        try statement.bind(Int64(clamping: position), at: 1)
        var next = position + 1
        while try statement.step(), UInt64(bitPattern: statement.int64(at: 0)) == next { next += 1 }
        statement.reset()
        return next
    }

    /// Says in the words of another log what the authors of sets held that are sent again: the
    /// prefix that both logs share, and one by one what lies beyond it.
    fileprivate func rewriteContexts(for cursor: LogCursor) throws {
        let log = ChangeLog(connection: connection, replicas: replicas)
        let sets = try log.entries(placedAfter: cursor.position)
        var tail = sets.compactMap { entry in entry.place.map { ($0.position, entry.changeSet) } }
            .sorted { $0.0 < $1.0 }[...]
        let forgotten = try forgottenHeads()
        let firstHole = try firstHole(behind: cursor.position)
        var heads: [ReplicaID: CausalContext.Entry] = [:]
        let byPrefix = sets.filter { $0.changeSet.context.prefix != nil }.sorted {
            ($0.changeSet.context.prefix?.position ?? 0)
                < ($1.changeSet.context.prefix?.position ?? 0)
        }
        for entry in byPrefix {
            let held = entry.changeSet.context.prefix?.position ?? 0
            while let (position, set) = tail.first, position <= held {
                heads[set.dot.replica] = CausalContext.Entry(
                    dot: set.dot, originPrefix: set.origin.prefix)
                tail = tail.dropFirst()
            }
            var context = entry.changeSet.context
            var known = heads
            if held >= firstHole { known.merge(forgotten) { $0.dot < $1.dot ? $1 : $0 } }
            let beyond = known.values.filter { $0.dot.replica != entry.changeSet.dot.replica }
            context = CausalContext(
                prefix: .init(epoch: cursor.epoch, position: min(held, cursor.position)),
                beyond: context.beyond + beyond)
            try log.replaceContext(of: entry, by: context)
        }
    }
}
