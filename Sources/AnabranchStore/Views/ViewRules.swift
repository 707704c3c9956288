import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// What the rows show where that follows from several records, within one write transaction.
///
/// The rules are functions of the merged state alone: of the holders of one target of a one-to-one
/// the greatest stamp shows it, and a cycle of acyclic references is cut at the greatest stamp. Of
/// equal stamps that of the smaller identity counts as the greater. Records that hold one unique
/// key show as one, and the rules for references look at what that leaves.
///
/// Whatever changes rows says so before (``willChange(_:of:)``), which puts what the rows hold back
/// in their place, so that merging sees the state. Before the transaction ends ``settle(_:)`` looks
/// at what has changed, and at what met it before and after, and at nothing else.
final class ViewRules {
    let connection: Connection
    let schema: StoreSchema
    let hidden: HiddenReferences
    let shadows: ShadowRows
    let logStamps: LogStamps
    unowned let transaction: WriteTransaction
    /// Records whose references may show something else, by the columns.
    var touched: [RuledColumn: Set<LocalID>] = [:]
    /// What references led to before they changed, where something hidden leads there too.
    var targets: [RuledColumn: Set<LocalID>] = [:]
    /// References that the app's save writes: they must not make a cycle.
    private(set) var saved: [RuledColumn: Set<LocalID>] = [:]
    /// What rows showed before the transaction, of those that were shown or hidden by it.
    private var shownBefore: [RuledColumn: [LocalID: LocalID?]] = [:]
    /// Whether the app saves: then records that were shown apart do not become one.
    var isSaving = false
    /// Records that may hold somebody's unique key now, by their root entities.
    var candidates: [EntityDescription: Set<LocalID>] = [:]
    /// Who showed the members of groups that were taken apart, and these groups.
    var visibleBefore: [LocalID: LocalID] = [:]
    var membersBefore: [LocalID: [LocalID]] = [:]
    /// Members of groups that were taken apart or put together.
    var affected: Set<LocalID> = []
    /// What groups referred to, before and after.
    var noted = ChangeCollector()

    init(_ transaction: WriteTransaction) {
        self.transaction = transaction
        connection = transaction.connection
        schema = transaction.schema
        hidden = HiddenReferences(connection)
        shadows = ShadowRows(connection, isUsed: !transaction.schema.constraints.isEmpty)
        logStamps = LogStamps(connection)
    }

    // MARK: - Before a change

    /// Records are about to be inserted, changed in a ruled column, or deleted.
    func willChange(_ ids: some Collection<LocalID>, of layout: EntityLayout) throws {
        noteCandidates(ids, of: layout)
        try expose(ids, of: layout)
    }

    /// As ``willChange(_:of:)``, where no key gets another holder.
    func expose(_ ids: some Collection<LocalID>, of layout: EntityLayout) throws {
        for ruled in layout.ruledColumns { try willChange(ids, ruled) }
    }

    /// As ``willChange(_:of:)``, for what the app saves.
    ///
    /// - Parameter slots: That are written; `nil`: all.
    func willSave(_ ids: [LocalID], of layout: EntityLayout, slots: [Int]? = nil) throws {
        // Keys that are shown are looked at by the save itself.
        if !shadows.isEmpty { noteCandidates(ids, of: layout) }
        for ruled in layout.ruledColumns
        where slots.map({ $0.contains(ruled.column.slot) }) ?? true {
            try willChange(ids, ruled)
            if ruled.isAcyclic { saved[ruled, default: []].formUnion(ids) }
        }
    }

    private func noteCandidates(_ ids: some Collection<LocalID>, of layout: EntityLayout) {
        guard !layout.constraints.isEmpty else { return }
        candidates[layout.table.root, default: []].formUnion(ids)
    }

    /// A block of somebody else's is about to be applied.
    func willApply(_ block: ChangeBlock, _ layout: (WireName) -> EntityLayout?) throws {
        try uncover(block)
        try noteKeys(of: block, layout)
        let entity: WireName
        var properties: [WireProperty]?
        switch block {
        case .insert(let rows), .update(let rows):
            (entity, properties) = (rows.entity, rows.properties)
        case .delete(let block): entity = block.entity
        case .yieldingDelete(let block): entity = block.entity
        case .add, .write, .link, .unlink, .move, .unknown: return
        }
        guard let layout = layout(entity), !layout.ruledColumns.isEmpty else { return }
        let ruled = layout.ruledColumns.filter {
            properties?.contains($0.column.property.wireProperty) ?? true
        }
        guard !ruled.isEmpty else { return }
        let ids = try block.touchedRecords.map(transaction.localID)
        for ruled in ruled { try willChange(ids, ruled) }
    }

    private func uncover(_ block: ChangeBlock) throws {
        guard !shadows.isEmpty else { return }
        // New records are nobody's.
        if case .insert = block { return }
        try uncover(block.touchedRecords.map(transaction.localID))
    }

    /// What is deleted leaves its key to others that are known: they were one group.
    private func noteKeys(
        of block: ChangeBlock, _ layout: (WireName) -> EntityLayout?
    ) throws {
        let entity: WireName
        var properties: [WireProperty]?
        switch block {
        case .insert(let rows): entity = rows.entity
        case .update(let rows), .add(let rows):
            (entity, properties) = (rows.entity, rows.properties)
        case .write(let block): (entity, properties) = (block.entity, [block.property])
        case .delete, .yieldingDelete, .link, .unlink, .move, .unknown: return
        }
        guard let layout = layout(entity), !layout.constraints.isEmpty,
            properties?.contains(where: layout.keyProperties.contains) ?? true
        else { return }
        noteCandidates(try block.touchedRecords.map(transaction.localID), of: layout)
    }

    func willChange(_ ids: some Collection<LocalID>, _ ruled: RuledColumn) throws {
        if ruled.isOnlyLed, shadows.isEmpty { return }
        touched[ruled, default: []].formUnion(ids)
        guard !hidden.isEmpty else { return }
        for id in ids { try expose(id, ruled) }
    }

    /// Puts back what a row holds, and takes note of whom that concerns.
    private func expose(_ id: LocalID, _ ruled: RuledColumn) throws {
        let entry = try hidden.entry(of: id, ruled)
        if let entry {
            try remember(id, ruled)
            try hidden.show(entry, of: id, ruled)
        }
        guard let target = try entry?.target ?? shown(id, ruled) else { return }
        if ruled.isExclusive { targets[ruled, default: []].insert(target) }
        if ruled.isAcyclic { try openCycle(through: id, ruled) }
    }

    /// Puts everything back, where names change.
    func exposeAll() throws {
        for ruled in schema.tables.flatMap(\.ruledColumns) {
            try willChange(try hidden.records(ruled), ruled)
        }
    }

    // MARK: - Showing and hiding

    /// What a row shows now.
    func shown(_ id: LocalID, _ ruled: RuledColumn) throws -> LocalID? {
        let statement = try connection.cached(
            "SELECT \(ruled.column.name) FROM \(ruled.table) WHERE ab_pk = ?")
        try statement.bind(id, at: 1)
        guard try statement.step() else { return nil }
        defer { statement.reset() }
        guard case .integer(let target) = statement.slot(at: 0, as: .reference) else { return nil }
        return target
    }

    func hide(
        _ target: LocalID, of id: LocalID, _ ruled: RuledColumn, by rule: HiddenReferences.Rule
    ) throws {
        try remember(id, ruled)
        try hidden.hide(target, of: id, ruled, by: rule)
    }

    func remember(_ id: LocalID, _ ruled: RuledColumn) throws {
        guard shownBefore[ruled]?[id] == nil else { return }
        shownBefore[ruled, default: [:]].updateValue(try shown(id, ruled), forKey: id)
    }

    /// Whether the row's reference was hidden when the transaction began, as far as it has met it.
    func wasHidden(_ id: LocalID, _ ruled: RuledColumn) -> Bool {
        guard let before = shownBefore[ruled]?[id] else { return false }
        return before == nil
    }

    // MARK: - After all changes

    /// Whether the rules have been applied to all that has changed.
    var isSettled: Bool { touched.isEmpty && candidates.isEmpty && visibleBefore.isEmpty }

    /// Applies the rules to what has changed.
    func settle(_ changes: inout ChangeCollector) throws {
        guard !isSettled else { return }
        try settleBeforeCycles()
        for ruled in touched.keys where ruled.isAcyclic { try settleCycles(ruled) }
        try noteShown(&changes)
        if !affected.isEmpty { try noteGroups(&changes) }
        forget()
    }

    /// The rules without the last one, which looks at what they leave.
    func settleBeforeCycles() throws {
        try settleGroups()
        try lead()
        for ruled in touched.keys where ruled.isExclusive { try settleHolders(ruled) }
    }

    /// Applies the rules to everything, where nothing is hidden or shown by another record.
    func settleAll() throws {
        try noteAllCandidates()
        try settleGroups()
        try lead()
        for ruled in schema.tables.flatMap(\.ruledColumns) {
            if ruled.isExclusive { try settleAllHolders(ruled) }
            if ruled.isAcyclic { try settleAllCycles(ruled) }
        }
        forget()
    }

    /// Everybody who shares a key as far as SQL tells.
    func noteAllCandidates() throws {
        candidates = [:]
        for constraint in schema.constraints {
            let names = constraint.grouping
            let statement = try connection.prepare(
                """
                SELECT t.ab_pk FROM (SELECT \(names) FROM \(constraint.table)
                GROUP BY \(names) HAVING count(*) > 1) g
                CROSS JOIN \(constraint.table) t ON \(constraint.equality("t", "g"))
                """)
            while try statement.step() {
                candidates[constraint.owner.root, default: []].insert(statement.int64(at: 0))
            }
        }
    }

    private func forget() {
        touched = [:]
        targets = [:]
        saved = [:]
        shownBefore = [:]
        candidates = [:]
        visibleBefore = [:]
        membersBefore = [:]
        affected = []
        noted = ChangeCollector()
    }

    private func noteShown(_ changes: inout ChangeCollector) throws {
        let reader = StoreReader(connection, schema: schema)
        for (ruled, records) in shownBefore {
            for (id, before) in records {
                let now = try shown(id, ruled)
                guard now != before, let entity = try reader.entity(of: id, in: ruled.root) else {
                    continue
                }
                changes.noteUpdated(id, of: entity, slots: [ruled.column.slot])
                for target in [before, now] {
                    if let target {
                        changes.noteInverse(of: ruled.column, target: .integer(target))
                    }
                }
            }
        }
    }
}

/// The order in which records' writes decide: by stamp, of equal ones the smaller identity is the
/// greater.
struct WriteRank: Comparable {
    let stamp: Stamp
    let record: RecordID

    static func < (left: WriteRank, right: WriteRank) -> Bool {
        left.stamp != right.stamp ? left.stamp < right.stamp : right.record < left.record
    }
}
