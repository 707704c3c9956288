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

/// What is held of a replica whose last set is not in this file's log any more.
private struct ForgottenHead {
    let entry: CausalContext.Entry
    /// The first place of the zone's log that it may have had: behind those of the replica's sets
    /// that this log has, where another entry is missing.
    let earliest: UInt64
}

extension WriteTransaction {
    /// Nobody can tell who knew of a forgotten set, so all who are sent again and may have known
    /// it say so: a zone that took them in before it would give them another order than this file
    /// did. A set that lies before the earliest place did not know it; were it said to, two sets
    /// might wait for each other for ever.
    ///
    /// - Returns: In the order of their earliest places.
    private func forgottenHeads(beyond position: UInt64) throws -> [ForgottenHead] {
        let holes = try holes(behind: position)
        let statement = try connection.cached(
            """
            SELECT id, seen, origin, (SELECT max(coalesce(server_position, -1))
                FROM ab_changeset WHERE replica = r.ordinal AND seq < r.seen)
            FROM ab_replica r WHERE seen > 0 AND NOT EXISTS
            (SELECT 1 FROM ab_changeset WHERE replica = r.ordinal AND seq = r.seen)
            """)
        var heads: [ForgottenHead] = []
        while try statement.step() {
            guard let replica = ReplicaID(bytes: statement.bytes(at: 0)),
                let origin = Digest(bytes: statement.bytes(at: 2))
            else { continue }
            let last = statement.isNull(at: 3) ? 0 : statement.int64(at: 3)
            let entry = CausalContext.Entry(
                dot: Dot(replica: replica, sequence: UInt64(bitPattern: statement.int64(at: 1))),
                originPrefix: origin.prefix)
            let before = max(position, UInt64(clamping: last))
            heads.append(ForgottenHead(entry: entry, earliest: holes.first(behind: before)))
        }
        return heads.sorted { $0.earliest < $1.earliest }
    }

    /// Where the entries begin that the zone's log had behind a position and this file's log has
    /// not, one place for as many as lie side by side; the last is behind all.
    private func holes(behind position: UInt64) throws -> [UInt64] {
        let statement = try connection.cached(
            """
            SELECT server_position FROM ab_changeset WHERE server_position > ?
            ORDER BY server_position
            """)
        try statement.bind(Int64(clamping: position), at: 1)
        var holes: [UInt64] = []
        var next = position + 1
        while try statement.step() {
            let held = UInt64(bitPattern: statement.int64(at: 0))
            if held > next { holes.append(next) }
            next = held + 1
        }
        statement.reset()
        return holes + [next]
    }

    /// Says in the words of another log what the authors of sets held that are sent again: the
    /// prefix that both logs share, and one by one what lies beyond it.
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

    /// Of the entries that the zone's log has behind a position, or is not known to have.
    private func setsSentAgain(behind position: UInt64) throws -> [SentAgain] {
        let statement = try connection.cached(
            """
            SELECT c.position, r.id, c.seq, c.origin, c.server_position, c.context
            FROM ab_changeset c JOIN ab_replica r ON r.ordinal = c.replica
            WHERE c.server_position IS NULL OR c.server_position > ? ORDER BY c.position
            """)
        try statement.bind(Int64(clamping: position), at: 1)
        var sets: [SentAgain] = []
        while try statement.step() {
            guard let replica = ReplicaID(bytes: statement.bytes(at: 1)),
                let origin = Digest(bytes: statement.bytes(at: 3))
            else {
                throw StoreError(
                    .corrupt,
                    "Can't read entry \(statement.int64(at: 0)) of the log: it is damaged.")
            }
            var context = ByteReader(statement.bytes(at: 5))
            sets.append(
                SentAgain(
                    localPosition: statement.int64(at: 0),
                    place: statement.isNull(at: 4)
                        ? nil : UInt64(bitPattern: statement.int64(at: 4)),
                    entry: CausalContext.Entry(
                        dot: Dot(
                            replica: replica,
                            sequence: UInt64(bitPattern: statement.int64(at: 2))),
                        originPrefix: origin.prefix),
                    context: try context.readContext()))
        }
        return sets
    }
}

/// What is known of a set that is sent again, without what it changes.
private struct SentAgain {
    let localPosition: Int64
    let place: UInt64?
    let entry: CausalContext.Entry
    let context: CausalContext
}

extension [UInt64] {
    /// The first of ascending numbers that is greater than another; the last where none is.
    fileprivate func first(behind position: UInt64) -> UInt64 {
        var low = 0
        var high = count - 1
        while low < high {
            let middle = (low + high) / 2
            if self[middle] > position { high = middle } else { low = middle + 1 }
        }
        return self[low]
    }
}
