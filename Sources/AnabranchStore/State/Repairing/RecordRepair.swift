import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// Replaces records by the zone's images of them, and applies the change sets that the images do
/// not include again.
///
/// It writes nothing to the log, and to the journal only if a verification asks for it. Other
/// losses were recorded when they happened, or are found in the log (`ConflictRevision`).
struct RecordRepair {
    private let transaction: StateTransaction
    private let images: [RecordImage]
    /// The local positions of the entries that the images do not include.
    private let positions: [Int64]
    private let ids: [LocalID]
    private let scope: Set<RecordID>
    /// The version of every repaired row; no context has read a row with this version.
    private var version = RowVersion.none
    private var merge: ChangeSetMerge

    private var connection: Connection { transaction.connection }
    private var schema: StoreSchema { transaction.schema }

    /// Prepares a repair.
    ///
    /// - Parameter positions: The local positions of the entries that the images do not include,
    ///   ascending.
    init(
        _ transaction: StateTransaction, replacing images: [RecordImage],
        replaying positions: [Int64]
    ) throws {
        self.transaction = transaction
        self.images = images
        self.positions = positions
        ids = try images.map { try transaction.localID(of: $0.id) }
        scope = Set(images.map(\.id))
        merge = ChangeSetMerge(transaction, isReplaying: true)
    }

    mutating func run(_ changes: inout ChangeCollector, journaling: Bool = false) throws {
        try transaction.indexes.createAgain()
        try transaction.writeChanges()
        try separateDuplicates()
        try collectViewChanges()
        let before = try present()
        try addNeighbours(&changes)
        for id in ids { try remove(id) }
        let stamps = try StampPositions(transaction.log, stamps: merge.logStamps)
        let rows = RecordRows(transaction, positions: stamps)
        for (id, image) in zip(ids, images) {
            if let record = image.record { try rows.insert(record, id: id, version: nil) }
        }
        for image in images { try link(image, rows) }
        version = RowVersion(stamps.reserve())
        try stamps.finish()
        for position in positions {
            if let entry = try transaction.log.entry(at: position) { try replay(entry) }
        }
        try transaction.writeChanges()
        try seal()
        try collectViewChanges()
        try addNeighbours(&changes)
        let after = try present()
        try addChange(from: before, to: after, &changes)
        guard journaling else { return }
        let journal = RepairJournal(transaction)
        for id in ids {
            guard let old = before[id]?.record else { continue }
            try journal.record(old, replacedBy: after[id]?.record)
        }
    }

    /// Separates duplicate sets that the images mention, because images describe the state and not
    /// the visible rows.
    private func separateDuplicates() throws {
        let views = transaction.views
        guard !views.mergedDuplicates.isEmpty else { return }
        try views.separateDuplicates(ids, isDamaged: true)
        for image in images {
            let ends = (image.record?.links ?? []).map(\.right) + image.incoming.map(\.left)
            try views.separateDuplicates(ends.map(transaction.localID))
        }
    }

    private func collectViewChanges() throws {
        for id in ids {
            guard let entity = try merge.held.entity(of: id) else { continue }
            try transaction.views.willChange([id], of: schema.layout(of: entity))
            // The values of a row that cannot be decoded are unknown.
            _ = try StoreError.unlessDamaged { try transaction.views.exposeValues(of: id) }
            transaction.views.registerValues(of: id)
            transaction.views.registerFormerLinks(of: [id])
        }
    }

    // MARK: - Replacing

    private func remove(_ id: LocalID) throws {
        for table in schema.syncedTables {
            try connection.run("DELETE FROM \(table.name) WHERE ab_pk = ?", .integer(id))
        }
        try transaction.views.hidden.remove(of: id)
        try LinkRows(connection).removeAll(of: id, in: schema.syncedLinkLayouts)
        try merge.deferred.delete(id)
    }

    private func link(_ image: RecordImage, _ rows: RecordRows) throws {
        guard let record = image.record else { return }
        for link in record.links {
            try rows.put(link.tags, on: link.property, left: record.id, right: link.right)
        }
        for link in image.incoming {
            try rows.put(link.tags, on: link.property, left: link.left, right: record.id)
        }
    }

    // MARK: - Replaying

    private mutating func replay(_ entry: StoredLogEntry) throws {
        let set = entry.changeSet
        let incoming = IncomingSet(
            set, ordinal: try transaction.ordinal(of: set.dot.replica),
            position: entry.localPosition)
        try merge.merge(incoming) { [scope] block in
            block.restricted(to: scope.contains)
        }
    }

    /// Gives the repaired rows a version that differs from every version read before.
    private func seal() throws {
        for id in ids {
            guard let entity = try merge.held.entity(of: id) else { continue }
            let writer = try RowWriter(transaction, layout: schema.layout(of: entity))
            guard var writes = try writer.heldRow(id)?.writes else { continue }
            writes.advance(to: version)
            try writer.write([], writes: writes, to: id)
        }
    }

    // MARK: - Changes

    private struct State {
        var entity: EntityDescription
        var record: CanonicalRecord?
    }

    private func present() throws -> [LocalID: State] {
        let reader = StoreReader(connection, schema: schema)
        let rows = try CanonicalRows(reader, replicas: transaction.replicas)
        var found: [LocalID: State] = [:]
        for id in ids {
            guard let entity = try merge.held.entity(of: id) else { continue }
            found[id] = State(
                entity: entity,
                record: try StoreError.unlessDamaged {
                    try rows.record(id, in: schema.layout(of: entity).table)
                } ?? nil)
        }
        return found
    }

    private func addNeighbours(_ changes: inout ChangeCollector) throws {
        for id in ids {
            guard let entity = try merge.held.entity(of: id) else { continue }
            let layout = schema.layout(of: entity)
            // The references of a row that cannot be decoded are unknown.
            guard
                let row = try StoreError.unlessDamaged({
                    try RowWriter(transaction, layout: layout).heldRow(id)
                }) ?? nil
            else { continue }
            try changes.addNeighbours(of: row, StoreReader(connection, schema: schema))
        }
    }

    private func addChange(
        from before: [LocalID: State], to after: [LocalID: State],
        _ changes: inout ChangeCollector
    ) throws {
        for id in ids {
            switch (before[id], after[id]) {
            case (let old?, let new?) where old.entity == new.entity:
                guard old.record != new.record else { continue }
                changes.addUpdated(id, of: new.entity, slots: SlotSet(new.entity.slots.indices))
            case (let old, let new):
                if let old { changes.addDeleted(id, of: old.entity) }
                if let new { changes.addInserted([id], of: new.entity) }
            }
        }
    }
}
