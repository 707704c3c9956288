import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// Renames and restamps change sets that the zone does not hold, within one transaction.
///
/// Mentions in every change set that the zone does not hold follow. Records that renamed change
/// sets inserted are recreated from the log, which has everything that was ever done to them. Other
/// records that the change sets mention wait for repair.
struct LogRewriting {
    private let transaction: StateTransaction
    private let rewriting: Rewriting
    /// The form in which the zone's log has one of the change sets; `nil` if there is none.
    private let given: ChangeSet?

    private var insertedRecords: Set<LocalID> = []
    private var touched: Set<LocalID> = []
    /// The local position of the first change set that was changed.
    private var first = Int64.max

    private var log: ChangeLog { transaction.log }
    private var connection: Connection { transaction.connection }
    private var schema: StoreSchema { transaction.schema }

    init(_ transaction: StateTransaction, _ rewriting: Rewriting, adopting given: ChangeSet?) {
        self.transaction = transaction
        self.rewriting = rewriting
        self.given = given
    }

    mutating func run(_ changes: inout ChangeCollector) throws {
        try transaction.indexes.createAgain()
        try transaction.writeChanges()
        try transaction.views.uncoverAll()
        try transaction.views.exposeAll()
        let positions = try log.unplacedPositions()
        let applied = Set(try transaction.applied(positions))
        let moved = try freeNames(at: positions)
        for position in positions {
            if let entry = try log.entry(at: position) { try rewrite(entry) }
        }
        try rewriteContextsOfPlaced()
        for set in moved where applied.contains(set.position) { try moveHead(of: set) }
        let renamed = try localRenames()
        try renameReferences(renamed, &changes)
        try ConflictRewriting(transaction, rewriting).run()
        try RejectedSaves(connection: connection).rewrite(rewriting)
        let isChanged = first < .max
        if isChanged, Mechanism.repair.isOn {
            try RepairQueue(connection: connection).add(
                touched.subtracting(insertedRecords), since: first)
        }
        try remake(&changes)
        changes.addRenamed(renamed)
    }

    /// Renames change sets that wait in the log. No row, head or entry of the conflict journal
    /// changes, because these change sets were not applied.
    mutating func runInLog() throws {
        let positions = try log.unplacedPositions()
        _ = try freeNames(at: positions)
        for position in positions {
            if let entry = try log.entry(at: position) { try rewrite(entry) }
        }
        try rewriteContextsOfPlaced()
        try RejectedSaves(connection: connection).rewrite(rewriting)
    }

    /// A change set that moves from one replica's history to another's.
    private struct RenamedChangeSet {
        let position: Int64
        let old: Dot
        let kind: LogEntryKind
        let previousOrigin: Digest
        let origin: Digest
        let new: Dot
    }

    /// Frees the dots of change sets that are renamed. A new dot may be another entry's dot until
    /// that entry is renamed.
    private func freeNames(at positions: [Int64]) throws -> [RenamedChangeSet] {
        // Entries that say the head get other names, so the row of the state has to say it.
        try transaction.writeState()
        var moved: [RenamedChangeSet] = []
        try log.forEach(positions) { entry in
            let set = entry.changeSet
            guard let new = rewriting[set.dot]?.dot else { return }
            try log.keepOrigins(around: entry.localPosition)
            try connection.run(
                "UPDATE ab_changeset SET seq = -seq WHERE position = ?",
                .integer(entry.localPosition))
            guard set.dot.replica != new.replica else { return }
            moved.append(
                RenamedChangeSet(
                    position: entry.localPosition, old: set.dot, kind: set.kind,
                    previousOrigin: set.previousOrigin, origin: set.origin, new: new))
        }
        return moved
    }

    private mutating func rewrite(_ entry: StoredLogEntry) throws {
        let old = entry.changeSet
        var new = try rewriting.rewritten(old, PartTable(connection))
        if let given, given.origin == old.origin { new = given }
        guard new != old || rewriting[old.dot] != nil else { return }
        let ordinal = try transaction.ordinal(of: new.dot.replica, isOwn: true)
        try transaction.replace(entry, by: new, ordinal: ordinal)
        guard new.digest != old.digest else { return }
        first = min(first, entry.localPosition)
        let isRenamed = rewriting[old.dot] != nil
        for set in [old, new] {
            try set.forEachBlock(PartTable(connection)) { block in
                let ids = try block.touchedRecords.map(transaction.localID)
                touched.formUnion(ids)
                if isRenamed, case .insert = block { insertedRecords.formUnion(ids) }
            }
        }
    }

    /// A set that the zone has acknowledged keeps its form. What it says that its author had seen
    /// is no part of that form, and follows the new names: the zone's answer to a push may place a
    /// later set before the log's form of an earlier one has come.
    private func rewriteContextsOfPlaced() throws {
        let cursor = transaction.state.cursor?.position ?? 0
        try log.forEach(log.positions(placedAfter: cursor)) { entry in
            guard entry.place != nil else { return }
            let old = entry.changeSet.context
            let new = rewriting.rewritten(old)
            if new != old { try log.replaceContext(ofEntryAt: entry.localPosition, by: new) }
        }
    }

    /// Moves the heads. The old history ends at the point where the renamed one left it.
    private func moveHead(of set: RenamedChangeSet) throws {
        let left = try transaction.ordinal(of: set.old.replica)
        if set.old.sequence <= (try transaction.head(of: left)).sequence {
            try transaction.setHead(
                of: left, sequence: set.old.sequence - 1, origin: try origin(before: set))
        }
        let taken = try transaction.ordinal(of: set.new.replica)
        if set.new.sequence > (try transaction.head(of: taken)).sequence {
            try transaction.setHead(of: taken, sequence: set.new.sequence, origin: set.origin)
        }
    }

    /// The origin before a change set. An entry that declares a change set lost does not name it,
    /// so the log is asked; zero if the log has none.
    private func origin(before set: RenamedChangeSet) throws -> Digest {
        guard set.kind == .lost, let dot = set.old.predecessor else { return set.previousOrigin }
        return try log.entry(named: dot)?.changeSet.origin ?? .zero
    }

    private func localRenames() throws -> [LocalID: LocalID] {
        var renamed: [LocalID: LocalID] = [:]
        for (old, new) in rewriting.records {
            renamed[try transaction.localID(of: old)] = try transaction.localID(of: new)
        }
        return renamed
    }

    /// Changes references to renamed records to the new IDs.
    private func renameReferences(
        _ renamed: [LocalID: LocalID], _ changes: inout ChangeCollector
    ) throws {
        guard !renamed.isEmpty else { return }
        for table in schema.syncedTables {
            for column in table.columns where column.kind == .reference {
                let update = try connection.cached(
                    "UPDATE \(table.name) SET \(column.name) = ? WHERE ab_pk = ?")
                for (id, old) in try holders(of: renamed.keys, column, table)
                where !insertedRecords.contains(id) {
                    try update.bind(renamed[old] ?? old, id)
                    try update.run()
                    let entity =
                        try StoreReader(connection, schema: schema).entity(of: id, in: table.root)
                        ?? table.root
                    try transaction.views.willChange([id], of: schema.layout(of: entity))
                    changes.addUpdated(id, of: entity, slots: [column.slot])
                }
            }
        }
    }

    /// The rows that refer to some records, found by the column's index or in one pass.
    private func holders(
        of targets: some Sequence<LocalID>, _ column: TableLayout.Column, _ table: TableLayout
    ) throws -> [(id: LocalID, target: LocalID)] {
        try connection.cached(
            """
            SELECT ab_pk, \(column.name) FROM \(table.name)
            WHERE \(column.name) IN (SELECT value FROM json_each(?))
            """, SQL.json(Array(targets))
        ).map { ($0.int64(at: 0), $0.int64(at: 1)) }
    }

    /// Recreates the records that renamed change sets inserted, by replaying the change sets beyond
    /// the cursor that were applied.
    ///
    /// Everything that was ever done to these records is there. The zone may already hold some of
    /// it: a push is acknowledged before the pull that brings the zone's form of another change set
    /// in the same push.
    private func remake(_ changes: inout ChangeCollector) throws {
        guard !insertedRecords.isEmpty else { return }
        let images = try insertedRecords.sorted().map {
            RecordImage(id: try transaction.recordID(of: $0))
        }
        let cursor = transaction.state.cursor?.position ?? 0
        let positions = try transaction.applied(log.positions(placedAfter: cursor))
        var repair = try RecordRepair(transaction, replacing: images, replaying: positions)
        try repair.run(&changes)
        try ConflictRevision(transaction, of: images.map(\.id), since: first)
            .run { try log.forEach(positions, $0) }
    }
}
