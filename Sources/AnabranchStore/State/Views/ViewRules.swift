import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// The view rules, applied to the rows within one write transaction.
///
/// The rules are functions of the merged state alone. If several records hold the target of a
/// one-to-one, the write with the greatest stamp shows it. A cycle of acyclic references is cut at
/// the greatest stamp. Of two equal stamps, the one on the record with the smaller identity counts
/// as greater. A reference of a to-one that is its own inverse shows if its target refers back.
/// Records that hold one unique key show as one, and the rules for references apply to
/// the result. A property that changed its type shows its former property while that is the later
/// write, and all other rules apply to what shows. A relationship stored as links also shows what
/// it was in another version of the model.
///
/// Code that changes rows calls `willChange(_:of:)` first. That restores what the rows hold, so
/// that merging works on the state. Before the transaction ends, `apply(_:)` applies the rules to
/// the changed records and to the records they are connected with, before and after, and to no
/// others.
final class ViewRules {
    let connection: Connection
    let schema: StoreSchema
    private(set) lazy var hidden = HiddenReferences(connection, isUsed: schema.hasViewRules)
    private(set) lazy var mergedDuplicates = MergedDuplicateRows(
        connection, isUsed: !schema.constraints.isEmpty)
    var logStamps: LogStamps { transaction.logStamps }
    unowned let transaction: StateTransaction
    /// The records that may show another reference, by column.
    var touched: [ViewRuleColumn: Set<LocalID>] = [:]
    /// The previous targets of changed references, because other records may hold them too.
    var targets: [ViewRuleColumn: Set<LocalID>] = [:]
    /// References that the app's save writes; they must not form a cycle.
    private(set) var saved: [ViewRuleColumn: Set<LocalID>] = [:]
    /// The references that rows showed before this transaction showed or hid something there.
    private var shownBefore: [ViewRuleColumn: [LocalID: LocalID?]] = [:]
    /// Records that may now share a unique key with another record, by root entity.
    var candidates: [EntityDescription: Set<LocalID>] = [:]
    /// The former surviving records by member, and the former members of these sets, for sets
    /// that were separated.
    var visibleBefore: [LocalID: LocalID] = [:]
    var membersBefore: [LocalID: [LocalID]] = [:]
    /// Members of duplicate sets that were separated or merged.
    var affected: Set<LocalID> = []
    /// The records that may show values of former properties, and what columns showed before this
    /// transaction changed something there, by slot.
    var shownValues: [LocalID: [Int: PropertyValue]] = [:]
    /// Records of which all columns have their own cells since ``exposeValues(of:)``.
    var exposed: Set<LocalID> = []
    var formerLinks = FormerLinkWork()
    /// Records that may hide something since this transaction; see ``takeHiding()``.
    var hiding: [LocalID: EntityDescription] = [:]
    /// Changes of records that duplicate sets referenced, before and after.
    var referenceChanges = ChangeCollector()

    init(_ transaction: StateTransaction) {
        self.transaction = transaction
        connection = transaction.connection
        schema = transaction.schema
    }

    // MARK: - Before a change

    /// Prepares records that are about to be inserted, deleted, or changed in a column to which a
    /// view rule applies.
    func willChange(_ ids: some Collection<LocalID>, of layout: EntityLayout) throws {
        addCandidates(ids, of: layout)
        try expose(ids, of: layout)
    }

    /// Prepares records in the same way as `willChange(_:of:)` for a change that leaves all keys as
    /// they are.
    func expose(_ ids: some Collection<LocalID>, of layout: EntityLayout) throws {
        for viewColumn in layout.viewRuleColumns { try willChange(ids, viewColumn) }
    }

    /// Prepares records that the app saves, in the same way as `willChange(_:of:)`.
    ///
    /// - Parameter slots: The slots that are written; `nil` for all.
    func willSave(_ ids: [LocalID], of layout: EntityLayout, slots: [Int]? = nil) throws {
        // The save itself checks keys that are visible.
        if transaction.hasDuplicates { addCandidates(ids, of: layout) }
        for viewColumn in layout.viewRuleColumns
        where slots.map({ $0.contains(viewColumn.column.slot) }) ?? true {
            try willChange(ids, viewColumn)
            if viewColumn.isAcyclic { saved[viewColumn, default: []].formUnion(ids) }
        }
    }

    func addCandidates(_ ids: some Collection<LocalID>, of layout: EntityLayout) {
        guard !layout.constraints.isEmpty else { return }
        candidates[layout.table.root, default: []].formUnion(ids)
    }

    /// Prepares the application of a block from another replica.
    func willApply(_ block: ChangeBlock, _ layout: (WireName) -> EntityLayout?) throws {
        try separateDuplicates(block)
        try addKeyCandidates(of: block, layout)
        let entity: WireName
        var properties: [WireProperty]?
        switch block {
        case .insert(let rows), .update(let rows):
            (entity, properties) = (rows.entity, rows.properties)
        case .delete(let block): entity = block.entity
        case .yieldingDelete(let block): entity = block.entity
        case .add, .write, .link, .unlink, .move, .unknown: return
        }
        guard let layout = layout(entity), !layout.viewRuleColumns.isEmpty else { return }
        let viewColumn = layout.viewRuleColumns.filter {
            properties?.contains($0.column.property.wireProperty) ?? true
        }
        guard !viewColumn.isEmpty else { return }
        let ids = try block.touchedRecords.map(transaction.localID)
        for viewColumn in viewColumn { try willChange(ids, viewColumn) }
    }

    private func separateDuplicates(_ block: ChangeBlock) throws {
        guard !mergedDuplicates.isEmpty else { return }
        // New records are in no duplicate set.
        if case .insert = block { return }
        try separateDuplicates(block.touchedRecords.map(transaction.localID))
    }

    /// Registers records that may get a new key. A deleted record needs no check: the records with
    /// its key are already known, because they formed one set with it.
    private func addKeyCandidates(
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
        addCandidates(try block.touchedRecords.map(transaction.localID), of: layout)
    }

    func willChange(_ ids: some Collection<LocalID>, _ viewColumn: ViewRuleColumn) throws {
        if viewColumn.isOnlyLed, mergedDuplicates.isEmpty { return }
        touched[viewColumn, default: []].formUnion(ids)
        guard !hidden.isEmpty else { return }
        for id in ids { try expose(id, viewColumn) }
    }

    /// Restores the reference that a row holds, and registers what that affects.
    private func expose(_ id: LocalID, _ viewColumn: ViewRuleColumn) throws {
        let entry = try hidden.entry(of: id, viewColumn)
        if let entry {
            try remember(id, viewColumn)
            try hidden.show(entry, of: id, viewColumn)
        }
        guard let target = try entry?.target ?? shown(id, viewColumn) else { return }
        if viewColumn.isExclusive { targets[viewColumn, default: []].insert(target) }
        if viewColumn.isAcyclic { try openCycle(through: id, viewColumn) }
    }

    /// Restores all references and values, before records and change sets are renamed.
    func exposeAll() throws {
        for viewColumn in schema.tables.flatMap(\.viewRuleColumns) {
            try willChange(try hidden.records(viewColumn), viewColumn)
        }
        try exposeAllValues()
        try hideFormerLinks()
    }

    // MARK: - Showing and hiding

    /// The reference that a row shows now.
    func shown(_ id: LocalID, _ viewColumn: ViewRuleColumn) throws -> LocalID? {
        let statement = try connection.cached(
            "SELECT \(viewColumn.column.name) FROM \(viewColumn.table) WHERE ab_pk = ?", id)
        guard try statement.step() else { return nil }
        guard case .integer(let target) = statement.slot(at: 0, as: .reference) else { return nil }
        return target
    }

    func hide(
        _ target: LocalID, of id: LocalID, _ viewColumn: ViewRuleColumn,
        by rule: HiddenReferences.Rule
    ) throws {
        try remember(id, viewColumn)
        try hidden.hide(target, of: id, viewColumn, by: rule)
    }

    func remember(_ id: LocalID, _ viewColumn: ViewRuleColumn) throws {
        guard shownBefore[viewColumn]?[id] == nil else { return }
        shownBefore[viewColumn, default: [:]].updateValue(try shown(id, viewColumn), forKey: id)
    }

    /// True if the row's reference was hidden when the transaction began, as far as this
    /// transaction has changed it.
    func wasHidden(_ id: LocalID, _ viewColumn: ViewRuleColumn) -> Bool {
        guard let before = shownBefore[viewColumn]?[id] else { return false }
        return before == nil
    }

    // MARK: - After all changes

    /// True if the rules have been applied to everything that changed.
    var isSettled: Bool {
        touched.isEmpty && candidates.isEmpty && visibleBefore.isEmpty && shownValues.isEmpty
            && formerLinks.isEmpty
    }

    /// Applies the rules to everything that changed.
    func apply(_ changes: inout ChangeCollector) throws {
        try applyRulesBeforeCycles()
        for viewColumn in touched.keys where viewColumn.isAcyclic { try applyCycleRule(viewColumn) }
        try collectShownChanges(&changes)
        try collectValueChanges(&changes)
        if !affected.isEmpty { try collectDuplicateChanges(&changes) }
        changes.formUnion(formerLinks.changes)
        forget()
    }

    /// Applies all rules except the one for cycles, which needs the result of the others.
    func applyRulesBeforeCycles() throws {
        try applyFormerPropertyRule()
        try applyKeyRule()
        try applyFormerLinkRule()
        try redirectReferences()
        for viewColumn in touched.keys where viewColumn.isExclusive {
            try applyHolderRule(viewColumn)
        }
        for viewColumn in touched.keys where viewColumn.isMutual { try applyPairRule(viewColumn) }
    }

    /// Applies the rules to the whole store, in which no reference is hidden and no records are
    /// merged yet, after `applyFormerPropertyRuleToAll()`.
    func applyToAll() throws {
        try addAllCandidates()
        try applyKeyRule()
        try applyFormerLinkRuleToAll()
        try redirectReferences()
        for viewColumn in schema.tables.flatMap(\.viewRuleColumns) {
            if viewColumn.isExclusive { try applyHolderRuleToAll(viewColumn) }
            if viewColumn.isMutual { try applyPairRuleToAll(viewColumn) }
            if viewColumn.isAcyclic { try applyCycleRuleToAll(viewColumn) }
        }
        forget()
    }

    /// Registers all records that share a key according to SQL.
    func addAllCandidates() throws {
        candidates = [:]
        for constraint in schema.constraints {
            let records = try recordsSharingKeys(of: constraint)
            guard !records.isEmpty else { continue }
            candidates[constraint.owner.root, default: []].formUnion(records)
        }
    }

    /// The records that share a key with another record according to SQL, which may find values
    /// equal although their bytes differ.
    func recordsSharingKeys(of constraint: UniqueConstraint) throws -> [LocalID] {
        let names = constraint.grouping
        return try connection.prepare(
            """
            SELECT t.ab_pk FROM (SELECT \(names) FROM \(constraint.table)
            GROUP BY \(names) HAVING count(*) > 1) g
            CROSS JOIN \(constraint.table) t ON \(constraint.equality("t", "g"))
            """
        ).map { $0.int64(at: 0) }
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
        referenceChanges = ChangeCollector()
        shownValues = [:]
        exposed = []
        formerLinks = FormerLinkWork()
    }

    private func collectShownChanges(_ changes: inout ChangeCollector) throws {
        let reader = StoreReader(connection, schema: schema)
        for (viewColumn, records) in shownBefore {
            for (id, before) in records {
                let now = try shown(id, viewColumn)
                guard now != before, let entity = try reader.entity(of: id, in: viewColumn.root)
                else {
                    continue
                }
                changes.addUpdated(id, of: entity, slots: [viewColumn.column.slot])
                if now == nil, try hidden.entry(of: id, viewColumn)?.rule.asHidingRule != nil {
                    hiding[id] = entity
                }
                for target in [before, now] {
                    if let target {
                        changes.addInverse(of: viewColumn.column, target: .integer(target))
                    }
                }
            }
        }
    }
}

/// The order in which writes of several records decide: by stamp. Of equal stamps, the one on the
/// record with the smaller identity is greater.
struct WriteRank: Comparable {
    let stamp: Stamp
    let record: RecordID

    static func < (left: WriteRank, right: WriteRank) -> Bool {
        left.stamp != right.stamp ? left.stamp < right.stamp : right.record < left.record
    }
}
