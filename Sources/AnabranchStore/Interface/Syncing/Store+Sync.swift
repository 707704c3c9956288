package import AnabranchReplication
import AnabranchSQLite

extension Store {
    /// The state that a sync session begins with. If no other process has changed the file, it is
    /// known.
    package func syncState() throws -> SyncState { try syncState(asLeft: false) }

    /// The state that the last transaction of this opening has left. Another process may have
    /// changed it since, which the next transaction notices.
    package func syncStateAsLeft() throws -> SyncState { try syncState(asLeft: true) }

    private func syncState(asLeft: Bool) throws -> SyncState {
        let state = try withHead(asLeft: asLeft) {
            try SyncState($0, self)
        } reading: { head, connection in
            try readReplicas(connection)
            try head.readRest(connection)
        }
        // Nothing waits here for another thread that writes.
        return try state ?? readSyncState()
    }

    /// The state that a sync session begins with, read from the file.
    package func readSyncState() throws -> SyncState {
        try read(isCounted: false) { reader in
            let head = StoreHead(try StoreState.read(reader.connection))
            try readReplicas(reader.connection)
            try head.readRest(reader.connection)
            guard let state = try SyncState(head, self) else {
                throw StoreError(.corrupt, "Can't read how \(path) has synced.", path: path)
            }
            return state
        }
    }

    private func readReplicas(_ connection: Connection) throws {
        var replicas = knownReplicas.present
        try replicas.readNew(connection)
        knownReplicas.add(replicas)
    }

    /// Records epochs of the zone's log, so that a zone that goes back to an earlier state can be
    /// distinguished from another zone.
    package func recordEpochs(_ epochs: [EpochID]) throws {
        try write { transaction in
            for epoch in epochs {
                try transaction.connection.run(
                    "INSERT OR IGNORE INTO ab_epoch (id) VALUES (?)", .blob(epoch.bytes))
            }
        }
    }

    /// The change sets that the zone is not known to hold, in the order of this file's log.
    ///
    /// - Parameters:
    ///   - byteLimit: The greatest size of all payloads; the first change set is returned whatever
    ///     its size.
    ///   - countLimit: The greatest number of change sets, at least 1.
    package func pending(byteLimit: Int, countLimit: Int = .max) throws -> [StoredLogEntry] {
        try read { reader in
            try ChangeLog(connection: reader.connection, replicas: try reader.replicas())
                .pending(byteLimit: byteLimit, countLimit: countLimit)
        }
    }

    /// Flushes everything that the file has so far to the disk: no replica may hold a save that its
    /// author can still lose, and a bundle that was reported as applied may be deleted (invariant
    /// 11).
    ///
    /// This includes commits of other processes. So nothing is skipped if this opening is `.full`:
    /// another one of the same file, now or before a crash, may have been `.normal`.
    package func makeDurable() throws {
        // A store that can't be written says why.
        guard !options.isReadOnly else { return try write(in: WriteTransaction.self) { _ in } }
        try withWriter { try $0.flushLog() }
    }

    /// Calls ``makeDurable()`` before change sets leave the file, by a push or in a bundle.
    package func flushBeforePush() throws {
        guard Mechanism.flushBeforePush.isOn else { return }
        try makeDurable()
    }

    /// Records the zone positions of pushed change sets, and advances the cursor over those
    /// directly after it.
    ///
    /// A change set that the zone has in another form stays unchanged: the pull brings the zone's
    /// form, which then replaces it. A rejected change set becomes a void, as in the zone's log.
    ///
    /// A change set with a context that has changed since the push also stays unchanged: another
    /// process has found that the zone went back, so the acknowledgement is obsolete.
    ///
    /// - Returns: The records that rejected saves had inserted and that are removed now.
    @discardableResult
    package func acknowledge(
        _ acknowledged: [Acknowledged], epoch: EpochID
    ) throws -> ChangedRecords {
        try write { transaction in
            let log = transaction.log
            let places = ZonePositions(transaction)
            var voids: [SaveVoiding.Pair] = []
            var placed: [UInt64: PlacedEntry] = [:]
            for item in acknowledged {
                let place = CausalContext.Prefix(epoch: epoch, position: item.position)
                if item.isAsPushed, try places.record(place, ofUnchanged: item.pushed) {
                    placed[item.position] = PlacedEntry(item.pushed.changeSet)
                    continue
                }
                guard let held = try log.entry(at: item.localPosition) else { continue }
                let form = held.changeSet.form(after: item.rejection)
                guard form.digest == item.digest, form.dot == item.dot,
                    held.changeSet.context == item.pushed.changeSet.context
                else { continue }
                if form.kind != held.changeSet.kind { voids.append((held, form)) }
                placed[item.position] = PlacedEntry(held.changeSet)
                try places.record(place, ofSetAt: item.localPosition)
            }
            var changes = ChangeCollector()
            var voiding = SaveVoiding(transaction)
            try voiding.run(voids, &changes)
            try log.raisePlaced()
            try transaction.advanceCursor(in: epoch, over: voids.isEmpty ? placed : [:])
            var changed = try transaction.collected(changes)
            changed.rejections = transaction.rejections
            return changed
        }
    }
}

extension ChangeSet {
    /// The form that the zone's log has of a change set after its answer: the change set, or its
    /// void.
    package func form(after rejection: SaveRejection?) -> ChangeSet {
        guard let rejection, kind.isSave else { return self }
        return ChangeSet(voiding: self, for: rejection)
    }
}

extension StateTransaction {
    /// Advances the cursor over change sets of this file that directly follow it in the zone's log.
    ///
    /// - Parameter known: Change sets in their present form, by position in the zone's log. Other
    ///   entries are read from the file.
    fileprivate func advanceCursor(in epoch: EpochID, over known: [UInt64: PlacedEntry]) throws {
        var cursor = state.cursor ?? LogCursor(startOf: epoch)
        guard cursor.epoch == epoch else { return }
        while state.start == nil, let next = known[cursor.position + 1] {
            cursor = next.advance(cursor)
            state.cursor = cursor
        }
        if let place = knownLog.greatestPlace, place <= cursor.position { return }
        let statement = try connection.cached(
            """
            SELECT c.kind, r.id, c.seq, c.position, c.origin, c.server_position, c.seq <= r.seen
            FROM ab_changeset c
            JOIN ab_head r ON r.ordinal = c.replica
            WHERE c.server_position > ? AND c.epoch = ? ORDER BY c.server_position
            """, Int64(bitPattern: cursor.position), epoch.bytes)
        while try statement.step() {
            // A change set that waits for its predecessors has not been applied: the pull brings
            // it.
            guard state.start == nil || statement.int64(at: 6) != 0,
                statement.int64(at: 5) == Int64(bitPattern: cursor.position) + 1,
                let replica = ReplicaID(bytes: statement.bytes(at: 1)),
                let digest = try log.digest(at: statement.int64(at: 3)),
                let origin = Digest(bytes: statement.bytes(at: 4))
            else { break }
            let entry = PlacedEntry(
                kind: LogEntryKind(rawValue: UInt8(truncatingIfNeeded: statement.int64(at: 0))),
                dot: Dot(replica: replica, sequence: try statement.sequence(at: 2)),
                digest: digest, origin: origin)
            cursor = entry.advance(cursor)
            state.cursor = cursor
        }
    }
}

/// The fields of an entry that a cursor's digest covers.
private struct PlacedEntry {
    let kind: LogEntryKind
    let dot: Dot
    let digest: Digest
    let origin: Digest

    /// The cursor behind the entry.
    func advance(_ cursor: LogCursor) -> LogCursor {
        cursor.advanced(kind: kind, dot: dot, digest: digest, origin: origin)
    }
}

extension PlacedEntry {
    init(_ set: ChangeSet) {
        self.init(kind: set.kind, dot: set.dot, digest: set.digest, origin: set.origin)
    }
}

extension StoreReader {
    /// The highest sequence number held of every replica.
    package func versionVector() throws -> VersionVector {
        let statement = try connection.cached("SELECT id, seen FROM ab_head WHERE seen > 0")
        var heads: [Dot] = []
        while try statement.step() {
            guard let replica = ReplicaID(bytes: statement.bytes(at: 0)) else { continue }
            heads.append(
                Dot(replica: replica, sequence: try statement.sequence(at: 1)))
        }
        return VersionVector(heads)
    }
}
