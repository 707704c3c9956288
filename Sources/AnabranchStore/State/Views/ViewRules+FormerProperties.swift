import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

// A property that changed its type shows the value of its former property, converted, while that
// value is the later write.
//
// The cells of former properties are among the deferred rows, because the model does not know them.
// While one of them shows, the property's column has the converted value, and the row says that the
// property was never written. Its own cell, if there is one, is then among the deferred rows too.
// So the state is the same in every file, and all statements see what shows.
//
// A mandatory attribute to which null was written shows its default in the same way.
extension ViewRules {
    /// The properties of a record that may show something else than their own cells.
    private struct Candidates {
        let row: HeldRow
        let cells: [RecordCells.Cell]
        let properties: [TableLayout.Property]
    }

    /// - Parameter includesNulls: True to include properties that have null in their columns, and
    ///   are to show a default in its place.
    private func candidates(of id: LocalID, includesNulls: Bool = false) throws -> Candidates? {
        let cells = try transaction.deferred.wireCells(of: id)
        // The row of a surviving record shows several records, and is no part of the state.
        guard includesNulls || !cells.isEmpty, try mergedDuplicates.visible(of: id) == nil,
            let row = try heldRow(id)
        else { return nil }
        var found = Set(cells.compactMap { row.layout.property(concernedBy: $0.property)?.number })
        if includesNulls { found.formUnion(try nullProperties(of: row)) }
        guard !found.isEmpty else { return nil }
        return Candidates(
            row: row, cells: cells,
            properties: row.layout.properties.filter {
                found.contains($0.number)
            })
    }

    /// The numbers of the properties that have null in their columns and are to show a default.
    private func nullProperties(of row: HeldRow) throws -> [Int] {
        let properties = row.layout.propertiesWithDefault
        guard !properties.isEmpty else { return [] }
        let names = properties.map(\.column.name).joined(separator: ", ")
        return try connection.cached(
            "SELECT \(names) FROM \(row.layout.table.name) WHERE ab_pk = ?", row.id
        ).first { statement in
            properties.indices.filter { statement.isNull(at: $0) }.map { properties[$0].number }
        } ?? []
    }

    // MARK: - Before a change

    /// Prepares the records that a block from another replica changes: restores the cells that they
    /// hold, so that merging works on the state.
    func willApplyValues(of block: ChangeBlock, _ layout: (WireName) -> EntityLayout?) throws {
        let (entity, properties) = block.writtenProperties
        guard !properties.isEmpty, let layout = layout(entity) else { return }
        let successors = properties.compactMap(layout.successor(of:))
        if successors.isEmpty {
            // New records have no cells of former properties.
            if case .insert = block { return }
            guard !transaction.deferred.isEmpty else { return }
        }
        for record in block.touchedRecords {
            let id = try transaction.localID(of: record)
            if successors.isEmpty {
                try exposeValues(of: id)
            } else {
                try willChangeValues(of: id, showing: successors)
            }
        }
    }

    /// Prepares a record that gets a cell of a former property.
    private func willChangeValues(
        of id: LocalID, showing successors: [TableLayout.Property]
    ) throws {
        try exposeValues(of: id)
        registerValues(of: id)
        guard let row = try heldRow(id) else { return }
        for property in successors { try remember(property, of: row) }
    }

    /// Restores the own cells of a record's properties that show former ones, and registers the
    /// record. It changes nothing if the record has no cells of former properties.
    ///
    /// The record's deferred cells are read once, however many blocks change the record.
    func exposeValues(of id: LocalID) throws {
        guard exposed.insert(id).inserted, let candidates = try candidates(of: id) else { return }
        for property in candidates.properties { try remember(property, of: candidates.row) }
        try willChangeReferences(candidates.properties, of: candidates.row)
        try restore(candidates.properties, candidates)
    }

    /// Prepares the rules for references of properties that will show something else.
    private func willChangeReferences(
        _ properties: [TableLayout.Property], of row: HeldRow
    ) throws {
        for viewColumn in row.layout.viewRuleColumns
        where properties.contains(where: { $0.column === viewColumn.column }) {
            try willChange([row.id], viewColumn)
        }
    }

    /// Registers a record that may show other values when the transaction ends.
    func registerValues(of id: LocalID) { if shownValues[id] == nil { shownValues[id] = [:] } }

    /// Restores the values of all records, before change sets are renamed.
    func exposeAllValues() throws {
        for id in try recordsWithFormerCells() { try exposeValues(of: id) }
    }

    /// Prepares a record that the app saves. The save is later than all that the file has seen, so
    /// the written properties show their own values afterwards.
    func willSaveValues(of ids: [LocalID], _ columns: [TableLayout.Column]) throws {
        guard !transaction.deferred.isEmpty else { return }
        let numbers = Set(columns.map(\.number))
        for id in ids {
            guard let candidates = try candidates(of: id) else { continue }
            try restore(candidates.properties.filter { numbers.contains($0.number) }, candidates)
        }
    }

    private func remember(_ property: TableLayout.Property, of row: HeldRow) throws {
        guard shownValues[row.id]?[property.column.slot] == nil else { return }
        shownValues[row.id, default: [:]][property.column.slot] = try row.value(
            of: property.column, on: connection)
    }

    /// Moves own cells back to their columns. The row keeps its version.
    private func restore(_ properties: [TableLayout.Property], _ candidates: Candidates) throws {
        var writes = candidates.row.writes
        var taken: [TableLayout.Property.Cell] = []
        for property in properties where writes[property.number] == nil {
            guard let own = candidates.cells.last(where: { $0.property == property.wire }) else {
                continue
            }
            let stamp = try transaction.localStamp(own.stamp)
            guard let position = try logStamps.position(of: stamp) else {
                throw StoreError(
                    .corrupt,
                    "Can't tell when \(property.entity.name).\(property.column.property.name) was "
                        + "written because the log has no entry of that time.",
                    path: transaction.store.path, records: [candidates.row.id])
            }
            let others = candidates.cells.filter { $0.property == property.wire && $0 != own }
            try transaction.deferred.replace(property.wire, of: candidates.row.id, by: others)
            writes.writeAgain(property.number, by: position)
            taken.append((property.column, try transaction.localValue(own.value)))
        }
        try write(taken, writes, to: candidates.row)
    }

    private func write(
        _ taken: [TableLayout.Property.Cell], _ writes: RowWrites, to row: HeldRow
    ) throws {
        guard !taken.isEmpty else { return }
        try RowWriter(transaction, layout: row.layout).write(taken, writes: writes, to: row.id)
    }

    // MARK: - After all changes

    /// Applies the rule to the registered records.
    func applyFormerPropertyRule() throws {
        for id in shownValues.keys.sorted() { try showValues(of: id) }
    }

    /// Applies the rule to all records, in which every column has the own cell, or a default in
    /// place of null.
    func applyFormerPropertyRuleToAll() throws {
        for id in try recordsWithFormerCells() { try showValues(of: id) }
        try applyFormerPropertyRule()
    }

    /// Shows the later writes of former properties, and defaults in place of null. The row keeps
    /// its version.
    func showValues(of id: LocalID) throws {
        exposed.remove(id)
        guard let candidates = try candidates(of: id, includesNulls: true) else { return }
        let row = candidates.row
        var writes = row.writes
        var taken: [TableLayout.Property.Cell] = []
        try willChangeReferences(candidates.properties, of: row)
        for property in candidates.properties {
            var own: RecordCells.Cell?
            if let position = writes[property.number] {
                own = RecordCells.Cell(
                    property: property.wire, value: try row.wireValue(of: property, transaction),
                    stamp: try transaction.deferred.wireStamp(try logStamps[position]))
            }
            guard
                let shown = try valueShown(
                    by: property, own, candidates.cells, try transaction.recordID(of: id))
            else { continue }
            if let own {
                try transaction.deferred.write(own, to: id)
                writes.leaveUnwritten(property.number)
            }
            taken.append((property.column, try transaction.localValue(shown)))
        }
        try write(taken, writes, to: row)
        let keys = row.layout.keyProperties
        if taken.contains(where: { keys.contains($0.column.property.wireProperty) }) {
            addCandidates([id], of: row.layout)
        }
    }

    /// The value that a property shows in place of the one in its column.
    ///
    /// - Parameters:
    ///   - own: The cell of the column; `nil` if the row says that it was never written.
    ///   - cells: The deferred cells of the record.
    /// - Returns: `nil` if the property shows what its column has.
    private func valueShown(
        by property: TableLayout.Property, _ own: RecordCells.Cell?, _ cells: [RecordCells.Cell],
        _ record: RecordID
    ) throws -> PropertyValue? {
        let former = (cells + (own.map { [$0] } ?? [])).former(of: property.wire, in: record)
        guard let written = former?.value ?? own?.value else { return nil }
        if property.showsDefault(inPlaceOf: written) { return property.valueWhenNull }
        return former?.value
    }

    /// Reports the records that show other values than before, and gives their rows a version that
    /// no context has read. Rows that a save has written have their own version.
    func collectValueChanges(_ changes: inout ChangeCollector) throws {
        var changed: [HeldRow] = []
        for (id, before) in shownValues.sorted(by: { $0.key < $1.key }) {
            guard try mergedDuplicates.visible(of: id) == nil, let row = try heldRow(id) else {
                continue
            }
            let slots = try row.layout.columns.filter { column in
                guard let value = before[column.slot] else { return false }
                return try row.value(of: column, on: connection) != value
            }.map(\.slot)
            guard !slots.isEmpty else { continue }
            for column in row.layout.columns
            where column.kind == .reference && slots.contains(column.slot) {
                let now = try row.value(of: column, on: connection)
                for target in [before[column.slot] ?? .null, now] {
                    changes.addInverse(of: column, target: target)
                }
            }
            changes.addUpdated(id, of: row.layout.entity, slots: SlotSet(slots))
            changed.append(row)
        }
        guard !transaction.isSaving, !changed.isEmpty else { return }
        let positions = try stampPositions()
        for row in changed {
            var writes = row.writes
            writes.advance(to: RowVersion(positions.reserve()))
            try RowWriter(transaction, layout: row.layout).write([], writes: writes, to: row.id)
        }
        try positions.finish()
    }

    /// The records with cells that a property of the model may show, or in place of which it shows
    /// a default.
    private func recordsWithFormerCells() throws -> [LocalID] {
        let former = try DeferredRows.cellProperties(on: connection).filter { property in
            schema.layouts.contains { $0.property(concernedBy: property) != nil }
        }
        let records = try former.flatMap(transaction.deferred.records(withCellsOf:))
        return former.count > 1 ? Set(records).sorted() : records
    }
}

extension ChangeBlock {
    /// The properties that the block writes, with the entity of its records.
    fileprivate var writtenProperties: (entity: WireName, properties: [WireProperty]) {
        switch self {
        case .insert(let rows), .update(let rows), .add(let rows): (rows.entity, rows.properties)
        case .write(let block): (block.entity, [block.property])
        case .delete, .yieldingDelete, .link, .unlink, .move, .unknown: (WireName(""), [])
        }
    }
}
