import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// What the rows show where that follows from several records, within one write transaction.
///
/// The rules are functions of the merged state alone: of the holders of one target of a one-to-one
/// the greatest stamp shows it, and a cycle of acyclic references is cut at the greatest stamp. Of
/// equal stamps that of the smaller identity counts as the greater.
///
/// Whatever changes rows says so before (``willChange(_:of:)``), which puts what the rows hold back
/// in their place, so that merging sees the state. Before the transaction ends ``settle(_:)`` looks
/// at what has changed, and at what met it before and after, and at nothing else.
final class ViewRules {
    let connection: Connection
    let schema: StoreSchema
    let hidden: HiddenReferences
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

    init(_ transaction: WriteTransaction) {
        self.transaction = transaction
        connection = transaction.connection
        schema = transaction.schema
        hidden = HiddenReferences(connection)
        logStamps = LogStamps(connection)
    }

    // MARK: - Before a change

    /// Records are about to be inserted, changed in a ruled column, or deleted.
    func willChange(_ ids: some Collection<LocalID>, of layout: EntityLayout) throws {
        for ruled in layout.ruledColumns { try willChange(ids, ruled) }
    }

    /// As ``willChange(_:of:)``, for what the app saves.
    ///
    /// - Parameter slots: That are written; `nil`: all.
    func willSave(_ ids: [LocalID], of layout: EntityLayout, slots: [Int]? = nil) throws {
        for ruled in layout.ruledColumns
        where slots.map({ $0.contains(ruled.column.slot) }) ?? true {
            try willChange(ids, ruled)
            if ruled.isAcyclic { saved[ruled, default: []].formUnion(ids) }
        }
    }

    /// A block of somebody else's is about to be applied.
    func willApply(_ block: ChangeBlock, _ layout: (WireName) -> EntityLayout?) throws {
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

    private func willChange(_ ids: some Collection<LocalID>, _ ruled: RuledColumn) throws {
        touched[ruled, default: []].formUnion(ids)
        guard !hidden.isEmpty else { return }
        for id in ids { try expose(id, ruled) }
    }

    /// Puts back what a row holds, and takes note of whom that concerns.
    private func expose(_ id: LocalID, _ ruled: RuledColumn) throws {
        let entry = try hidden.entry(of: id, ruled)
        if let entry { try show(entry, of: id, ruled) }
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

    func show(
        _ entry: HiddenReferences.Entry, of id: LocalID, _ ruled: RuledColumn
    ) throws {
        try remember(id, ruled)
        try hidden.show(entry, of: id, ruled)
    }

    func hide(
        _ target: LocalID, of id: LocalID, _ ruled: RuledColumn, by rule: HiddenReferences.Rule
    ) throws {
        try remember(id, ruled)
        try hidden.hide(target, of: id, ruled, by: rule)
    }

    private func remember(_ id: LocalID, _ ruled: RuledColumn) throws {
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
    var isSettled: Bool { touched.isEmpty }

    /// Applies the rules to what has changed.
    func settle(_ changes: inout ChangeCollector) throws {
        guard !touched.isEmpty else { return }
        try settleHolders()
        for ruled in touched.keys where ruled.isAcyclic { try settleCycles(ruled) }
        try noteShown(&changes)
        touched = [:]
        targets = [:]
        saved = [:]
        shownBefore = [:]
    }

    /// The first of the rules: the second one looks at what it leaves.
    func settleHolders() throws {
        for ruled in touched.keys where ruled.isExclusive { try settleHolders(ruled) }
    }

    /// Applies the rules to everything, where nothing is hidden.
    func settleAll() throws {
        for ruled in schema.tables.flatMap(\.ruledColumns) {
            if ruled.isExclusive { try settleAllHolders(ruled) }
            if ruled.isAcyclic { try settleAllCycles(ruled) }
        }
        touched = [:]
        targets = [:]
        shownBefore = [:]
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
