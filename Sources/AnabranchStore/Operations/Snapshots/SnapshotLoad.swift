import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// Replaces every synced record of a file by those of a snapshot, within one transaction.
struct SnapshotLoad {
    private let transaction: StateTransaction
    private let snapshot: StagedSnapshot
    private let isPushBlocked: Bool
    private let positions: StampPositions
    private let rows: RecordRows
    private var merge: ChangeSetMerge
    /// True if the file held no record, so that no context has read a version.
    private var isFirst = true
    private var greatest = HybridTimestamp(rawValue: 0)
    /// The origins of the log's entries that were not replayed.
    private var unreplayed: Set<Digest> = []
    /// The number of records that were loaded, without those that are deleted.
    private(set) var recordCount = 0

    private var connection: Connection { transaction.connection }
    private var schema: StoreSchema { transaction.schema }
    private var log: ChangeLog { transaction.log }

    /// Prepares the load.
    ///
    /// - Parameter isPushBlocked: True if change sets that the zone lacks cannot be pushed to it.
    init(_ transaction: StateTransaction, _ snapshot: StagedSnapshot, isPushBlocked: Bool) throws {
        self.transaction = transaction
        self.snapshot = snapshot
        self.isPushBlocked = isPushBlocked
        merge = ChangeSetMerge(transaction, isReplaying: true)
        positions = try StampPositions(transaction.log, stamps: merge.logStamps, areZones: true)
        rows = RecordRows(transaction, positions: positions)
    }

    /// Loads the snapshot.
    ///
    /// - Parameter applyWaiting: Applies change sets of bundles that waited for something the
    ///   snapshot has, and drops those that the snapshot includes.
    mutating func run(
        _ stage: SnapshotStage, applyWaiting: () throws -> Void
    ) throws -> ChangedRecords {
        let before = try heldRecords()
        isFirst = before.allSatisfy(\.isEmpty)
        let queuedRepairs = try QueuedRepairs(transaction)
        let unmerged = try UnmergedWrites(transaction)
        let own = try transaction.head(of: transaction.state.ordinal)
        let searchTables = schema.syncedTables.compactMap(SearchTable.init)
        for table in searchTables { try connection.run(table.emptying) }
        try removeAll()
        try transaction.indexes.drop()
        var number: UInt64 = 0
        while number < snapshot.chunkCount {
            try load(try decoded(try takeChunk(from: stage, &number)))
        }
        try transaction.check(greatest, of: "the zone's snapshot", .zone)
        try stage.clear()
        try transaction.indexes.createAgain()
        for table in searchTables { try connection.run(table.refilling) }
        try positions.finish()
        let place = CausalContext.Prefix(
            epoch: snapshot.cursor.epoch, position: snapshot.cursor.position)
        let unordered = UnorderedEntries(connection: connection)
        try unordered.includeAll()
        for position in try log.positions(beyond: place) {
            if let entry = try log.entry(at: position) { try replay(entry) }
        }
        try transaction.writeChanges()
        try queuedRepairs.recordLosses(in: log)
        try unmerged.recordLosses()
        // This follows the last use of the old start: change sets that wait are checked against the
        // new beginning of the file's log.
        transaction.state.start = snapshot.cursor
        try applyWaiting()
        try transaction.writeChanges()
        try unordered.includeAll()
        if try transaction.head(of: transaction.state.ordinal) != own {
            // The snapshot has change sets of this replica that this file did not hold, or another
            // branch of its history: the file was restored or copied.
            transaction.state.isRenewing = true
        }
        try PartTable(connection).removeUnused()
        try transaction.views.applyFormerPropertyRuleToAll()
        try transaction.views.applyToAll()
        transaction.state.clock.observe(greatest)
        transaction.state.cursor = snapshot.cursor
        transaction.state.wantsSnapshot = false
        return changes(from: before, to: try heldRecords())
    }

    /// Removes the next chunk from the stage, including all its pieces.
    private func takeChunk(from stage: SnapshotStage, _ number: inout UInt64) throws -> [UInt8] {
        func take() throws -> [UInt8] {
            let bytes = try stage.chunk(number)
            // SQLite reuses the freed pages for the rows.
            try stage.remove(number)
            number += 1
            return bytes
        }
        let first = try take()
        guard
            var piece = try reading({ () throws(ChangeSetDecodingError) in
                try SnapshotPiece(decoding: first)
            })
        else { return first }
        var chunk: [UInt8] = []
        chunk.reserveCapacity(
            piece.bytes.count + (try stage.byteCount(from: number, count: piece.followingCount)))
        chunk += piece.bytes
        while piece.followingCount > 0 {
            let expected = piece.followingCount - 1
            let bytes = try take()
            let next = try reading { () throws(ChangeSetDecodingError) in
                try SnapshotPiece(decoding: bytes)
            }
            guard let next, next.followingCount == expected else {
                throw malformed("a piece of a chunk is missing", nil)
            }
            piece = next
            chunk += piece.bytes
        }
        return chunk
    }

    private func decoded(_ bytes: [UInt8]) throws -> SnapshotChunk {
        try reading { () throws(ChangeSetDecodingError) in try SnapshotChunk(decoding: bytes) }
    }

    /// Reports data from the zone that cannot be decoded as an error of the snapshot.
    private func reading<Result>(
        _ body: () throws(ChangeSetDecodingError) -> Result
    ) throws -> Result {
        do throws(ChangeSetDecodingError) {
            return try body()
        } catch {
            throw malformed("\(error)", error)
        }
    }

    private func malformed(_ cause: String, _ underlying: (any Error)?) -> StoreError {
        StoreError(
            .malformedChangeSet, "Can't load a snapshot: \(cause)", path: transaction.store.path,
            underlying: underlying)
    }

    // MARK: - Clearing

    private func removeAll() throws {
        for table in schema.syncedTables {
            try connection.execute("DELETE FROM \(table.name)")
        }
        for links in schema.syncedLinkLayouts {
            try connection.execute("DELETE FROM \(links.name)")
        }
        for table in [
            "ab_deferred_record", "ab_deferred_cell", "ab_deferred_link", "ab_delete_mark",
            "ab_former_link",
        ] {
            try connection.execute("DELETE FROM \(table)")
        }
        // The heads come from the snapshot, and from the change sets that are applied on top.
        try transaction.removeHeads()
        merge.deferred.isEmpty = true
        try transaction.views.hidden.removeAll()
        try transaction.views.mergedDuplicates.removeAll()
    }

    // MARK: - Loading

    private mutating func load(_ chunk: SnapshotChunk) throws {
        for head in chunk.heads { try take(head) }
        for block in chunk.rows {
            observe(block.stamps.joined().map(\.stamp))
            try rows.insert(block, isFirst: isFirst)
            recordCount += block.block.records.count
        }
        for record in chunk.records {
            observe(record.cells.map(\.stamp))
            try rows.insert(
                record, id: try transaction.localID(of: record.id),
                version: isFirst ? nil : RowVersion(positions.reserve()))
            if !record.isDead { recordCount += 1 }
        }
        for links in chunk.links {
            for link in links.links {
                observe(link.tags.tags)
                try rows.put(link.tags, on: links.property, left: link.left, right: link.right)
            }
        }
    }

    private mutating func observe(_ stamps: [Stamp]) {
        for stamp in stamps where stamp.timestamp > greatest { greatest = stamp.timestamp }
    }

    /// Sets the head of a replica to the snapshot's head. Replaying then advances it over change
    /// sets that this file still has to push.
    private func take(_ head: SnapshotChunk.Head) throws {
        try transaction.setHead(
            of: try transaction.ordinal(of: head.dot.replica), sequence: head.dot.sequence,
            origin: head.origin)
    }

    /// Applies an entry of the log to the snapshot.
    ///
    /// A change set that the snapshot already includes is skipped. If the zone has lost the
    /// predecessors of a change set, or the snapshot has another branch of its history, it stays in
    /// the log and does not count as held until the zone has resolved that.
    private mutating func replay(_ entry: StoredLogEntry) throws {
        let set = entry.changeSet
        let ordinal = try transaction.ordinal(of: set.dot.replica)
        let head = try transaction.head(of: ordinal)
        guard set.dot.sequence > head.sequence else {
            return try checkIsHeld(entry, beneath: head)
        }
        guard set.dot.sequence == head.sequence + 1, try !comesByPull(entry),
            try continuesSnapshot(set, head)
        else {
            unreplayed.insert(set.origin)
            return
        }
        try transaction.setHead(of: ordinal, sequence: set.dot.sequence, origin: set.origin)
        try merge.merge(IncomingSet(set, ordinal: ordinal, position: entry.localPosition))
    }

    /// True if a change set begins a renamed branch, the zone has it after the snapshot, and the
    /// one before it was not replayed or is no longer in the log.
    ///
    /// Such a change set names the one before it by its origin alone. The snapshot may be older:
    /// then the records that the one before it inserted would seem to be deleted. The pull that
    /// follows brings both in their order.
    private func comesByPull(_ entry: StoredLogEntry) throws -> Bool {
        let set = entry.changeSet
        guard set.dot.sequence == 1, set.previousOrigin != .zero, let place = entry.place,
            place.epoch == snapshot.cursor.epoch, place.position > snapshot.cursor.position
        else { return false }
        return try unreplayed.contains(set.previousOrigin)
            || log.position(ofPredecessorOf: set) == nil
    }

    /// True if the snapshot has the branch of history that a change set continues, and its causes.
    ///
    /// On another branch the change set would change records that its author had never seen. If the
    /// zone has lost a cause, the records that the cause inserted would seem to be deleted.
    private func continuesSnapshot(
        _ set: ChangeSet, _ head: (sequence: UInt64, origin: Digest)
    ) throws -> Bool {
        guard
            try head.sequence == 0 || set.previousOrigin == head.origin
                || transaction.followsLoss(set)
        else { return false }
        return try set.context.beyond.allSatisfy { cause in
            let head = try transaction.head(of: try transaction.ordinal(of: cause.dot.replica))
            return cause.dot.sequence < head.sequence || cause.namesLoss
                || cause.dot.sequence == head.sequence && cause.originPrefix == head.origin.prefix
        }
    }

    /// Checks a change set with a dot that the snapshot already includes.
    ///
    /// If it was never acknowledged, it may belong to a branch with other records under the names
    /// of the zone's records. A push finds that out and renames the branch. So the push must come
    /// first, as long as it is possible.
    private func checkIsHeld(
        _ entry: StoredLogEntry, beneath head: (sequence: UInt64, origin: Digest)
    ) throws {
        let set = entry.changeSet
        guard entry.place == nil, set.kind != .lost, !isPushBlocked else { return }
        let last = try log.entry(named: Dot(replica: set.dot.replica, sequence: head.sequence))
        guard last?.changeSet.origin != head.origin else { return }
        throw StoreError(
            .cursorMoved,
            "Can't load a snapshot because it may have another change set than this store under "
                + "the name \(set.dot), which was not pushed yet. Push first.",
            path: transaction.store.path)
    }

    // MARK: - Changes

    /// The records in the tables, by the index of the entity.
    private func heldRecords() throws -> [[LocalID]] {
        var held = [[LocalID]](repeating: [], count: schema.model.entities.count)
        for table in schema.syncedTables {
            let discriminator =
                table.hasDiscriminator
                ? "ab_entity" : "\(schema.layout(of: table.root).number)"
            let statement = try connection.cached(
                "SELECT ab_pk, \(discriminator) FROM \(table.name) ORDER BY ab_pk")
            while try statement.step() {
                guard let entity = schema.entity(numbered: statement.int64(at: 1)) else { continue }
                held[entity.index].append(statement.int64(at: 0))
            }
        }
        return held
    }

    /// The differences between the two states; every record that stays counts as changed.
    private func changes(from before: [[LocalID]], to after: [[LocalID]]) -> ChangedRecords {
        var changed: [ChangedRecords.Entity] = []
        for entity in schema.model.entities {
            let (old, new) = (before[entity.index], after[entity.index])
            guard !old.isEmpty || !new.isEmpty else { continue }
            var change = ChangedRecords.Entity(entity)
            guard !old.isEmpty else {
                change.inserted = new
                changed.append(change)
                continue
            }
            let slots = SlotSet(entity.slots.indices)
            let (wasThere, isThere) = (Set(old), Set(new))
            change.deleted = old.filter { !isThere.contains($0) }
            change.inserted = new.filter { !wasThere.contains($0) }
            let both = new.filter(wasThere.contains)
            if !both.isEmpty { change.updated = [.init(ids: both, slots: slots)] }
            changed.append(change)
        }
        return ChangedRecords(entities: changed)
    }
}
