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

/// A replica's head with a last change set that this file's log no longer has.
private struct RemovedHead {
    let entry: CausalContext.Entry
    /// The first zone position that it may have had: the first gap in this log after the replica's
    /// other change sets.
    let earliest: UInt64
}

extension StateTransaction {
    /// Finds the replicas with a last change set that this file's log does not have.
    ///
    /// It is unknown which authors had seen such a missing change set. If an author may have seen
    /// it, the author's change set names it as a cause when it is pushed again. Otherwise the zone
    /// might order the two change sets differently from this file.
    ///
    /// The missing change set has an earliest possible position in the zone's log. If an author had
    /// seen only entries before that position, it cannot have seen the missing change set. If its
    /// change set nevertheless named the missing one, the two might wait for each other forever.
    ///
    /// - Parameter position: The position of the cursor to which the file goes back.
    /// - Returns: The heads of these replicas, in the order of their earliest positions.
    private func forgottenHeads(beyond position: UInt64) throws -> [RemovedHead] {
        let holes = try holes(behind: position)
        let statement = try connection.cached(
            """
            SELECT id, seen, origin, (SELECT max(coalesce(server_position, -1))
                FROM ab_changeset WHERE replica = r.ordinal AND seq < r.seen)
            FROM ab_head r WHERE seen > 0 AND NOT EXISTS
            (SELECT 1 FROM ab_changeset WHERE replica = r.ordinal AND seq = r.seen)
            """)
        var heads: [RemovedHead] = []
        while try statement.step() {
            guard let replica = ReplicaID(bytes: statement.bytes(at: 0)),
                let origin = Digest(bytes: statement.bytes(at: 2))
            else { continue }
            let last = statement.isNull(at: 3) ? 0 : statement.int64(at: 3)
            let entry = CausalContext.Entry(
                dot: Dot(replica: replica, sequence: try statement.sequence(at: 1)),
                originPrefix: origin.prefix)
            let before = max(position, UInt64(clamping: last))
            heads.append(RemovedHead(entry: entry, earliest: holes.first(behind: before)))
        }
        return heads.sorted { $0.earliest < $1.earliest }
    }

    /// The gaps in this file's copy of the zone's log after a position: the first position of each
    /// gap. The last element is the position after all entries.
    private func holes(behind position: UInt64) throws -> [UInt64] {
        let statement = try connection.cached(
            """
            SELECT server_position FROM ab_changeset WHERE server_position > ?
            ORDER BY server_position
            """, Int64(clamping: position))
        var holes: [UInt64] = []
        var next = position + 1
        while try statement.step() {
            let held = try statement.zonePosition(at: 0)
            if held > next { holes.append(next) }
            next = held + 1
        }
        return holes + [next]
    }

    /// Rewrites the contexts of change sets that are pushed again for another log: they name the
    /// prefix that both logs share, and individually what lies beyond it.
    fileprivate func rewriteContexts(for cursor: LogCursor) throws {
        let sets = try setsSentAgain(behind: cursor.position)
        var tail = sets.compactMap { set in set.place.map { ($0, set) } }
            .sorted { $0.0 < $1.0 }[...]
        var forgotten = try forgottenHeads(beyond: cursor.position)[...]
        var heads: [ReplicaID: CausalContext.Entry] = [:]
        let byPrefix = sets.filter { $0.context.prefix != nil }.sorted {
            ($0.context.prefix?.position ?? 0) < ($1.context.prefix?.position ?? 0)
        }
        for set in byPrefix {
            let held = set.context.prefix?.position ?? 0
            while let (position, other) = tail.first, position <= held {
                heads[other.entry.dot.replica] = other.entry
                tail = tail.dropFirst()
            }
            while let head = forgotten.first, head.earliest <= held {
                heads[head.entry.dot.replica] = head.entry
                forgotten = forgotten.dropFirst()
            }
            let beyond = heads.values.filter { $0.dot.replica != set.entry.dot.replica }
            let context = CausalContext(
                prefix: .init(epoch: cursor.epoch, position: min(held, cursor.position)),
                beyond: set.context.beyond + beyond)
            try log.replaceContext(ofEntryAt: set.localPosition, by: context)
        }
    }

    /// The change sets that the zone's log has after a position, or is not known to have.
    private func setsSentAgain(behind position: UInt64) throws -> [RepushedChangeSet] {
        let statement = try connection.cached(
            """
            SELECT c.position, r.id, c.seq, c.origin, c.server_position, c.context
            FROM ab_changeset c JOIN ab_head r ON r.ordinal = c.replica
            WHERE \(ChangeLog.isUnplaced) OR c.server_position > ? ORDER BY c.position
            """, Int64(clamping: position))
        var sets: [RepushedChangeSet] = []
        while try statement.step() {
            guard let replica = ReplicaID(bytes: statement.bytes(at: 1)),
                let origin = Digest(bytes: statement.bytes(at: 3))
            else {
                throw StoreError(
                    .corrupt,
                    "Can't read entry \(statement.int64(at: 0)) of the log because it is damaged. "
                        + "Restore a backup.")
            }
            var context = ByteReader(statement.bytes(at: 5))
            sets.append(
                RepushedChangeSet(
                    localPosition: statement.int64(at: 0),
                    place: statement.isNull(at: 4)
                        ? nil : try statement.zonePosition(at: 4),
                    entry: CausalContext.Entry(
                        dot: Dot(
                            replica: replica, sequence: try statement.sequence(at: 2)),
                        originPrefix: origin.prefix),
                    context: statement.isNull(at: 5) ? CausalContext() : try context.readContext()))
        }
        return sets
    }
}

/// A change set that is pushed again, without its payload.
private struct RepushedChangeSet {
    let localPosition: Int64
    let place: UInt64?
    let entry: CausalContext.Entry
    let context: CausalContext
}

extension [UInt64] {
    /// The first of ascending numbers that is greater than a position; the last number if none is.
    fileprivate func first(behind position: UInt64) -> UInt64 {
        self[Swift.min(partitioningIndex { $0 > position }, count - 1)]
    }
}
