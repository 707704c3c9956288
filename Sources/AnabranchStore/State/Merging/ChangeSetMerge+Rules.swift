import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

// Operations under merge rules that are not simple registers.
extension ChangeSetMerge {
    /// Adds deltas to counters. Each is added once, because causal delivery brings a change set
    /// once.
    mutating func add(_ block: RowBlock, of set: IncomingSet) throws {
        guard let layout = schema.recordLayout(named: block.entity) else {
            return try addDeferred(block, of: set)
        }
        let mapping = ColumnMapping(block.properties, layout: layout)
        let writer = try RowWriter(transaction, layout: layout, reading: mapping.properties)
        for (row, record) in block.records.enumerated() {
            let id = try transaction.localID(of: record)
            guard let held = try writer.heldRow(id) else {
                try add(block, row: row, toUnheld: id, of: set)
                continue
            }
            try add(block, row: row, to: held, mapping, of: set, writer)
            for source in mapping.unknown {
                try deferred.change(block.properties[source], of: id) {
                    $0.add(
                        block.columns[source][row], to: block.properties[source],
                        stamp: set.stampOnWire)
                }
            }
        }
    }

    private mutating func add(
        _ block: RowBlock, row: Int, to held: HeldRow, _ mapping: ColumnMapping,
        of set: IncomingSet, _ writer: RowWriter
    ) throws {
        var writes = held.writes
        var taken: [TableLayout.Property.Cell] = []
        for (property, source) in zip(mapping.properties, mapping.sources) {
            let column = property.column
            let sum = Counter.sum(
                try value(of: column, in: held), block.columns[source][row],
                of: column.property.wireProperty.type)
            taken.append((column, sum))
            let last = try writes[column.number].map { try logStamps[$0] }
            if let last, !precedes(last, set.stamp) {
                writes.advance(to: RowVersion(set.position))
            } else {
                try write(column.number, by: set, in: &writes)
            }
        }
        guard !taken.isEmpty else { return }
        try writer.write(taken, writes: writes, to: held.id)
        changes.addUpdated(
            held.id, of: held.layout.entity, slots: SlotSet(taken.map(\.column.slot)))
    }

    private mutating func addDeferred(_ block: RowBlock, of set: IncomingSet) throws {
        for (row, record) in block.records.enumerated() {
            try add(block, row: row, toUnheld: try transaction.localID(of: record), of: set)
        }
    }

    /// Adds deltas to a record of an unknown entity or to a dead record. A delta does not revive a
    /// dead record.
    private mutating func add(
        _ block: RowBlock, row: Int, toUnheld id: LocalID, of set: IncomingSet
    ) throws {
        guard try deferred.entity(of: id) == block.entity else {
            return try meetRecordNotHeld(id, block: block, row: row, of: set)
        }
        for (property, column) in zip(block.properties, block.columns) {
            try deferred.change(property, of: id) {
                $0.add(column[row], to: property, stamp: set.stampOnWire)
            }
        }
    }

    /// Writes values of a `keepBoth` property beside those that their authors had not seen.
    mutating func write(_ block: SiblingBlock, of set: IncomingSet) throws {
        let layout = schema.recordLayout(named: block.entity)
        let property = layout?.property(block.property)
        for write in block.writes {
            let id = try transaction.localID(of: write.record)
            if let layout, let row = try heldRow(id, layout) {
                if let property {
                    try self.write(write, to: property, in: row, of: set)
                } else {
                    try self.write(write, to: block.property, of: row, set)
                }
            } else {
                try self.write(write, of: block, toUnheld: id, of: set)
            }
        }
    }

    func heldRow(_ id: LocalID, _ layout: EntityLayout) throws -> HeldRow? {
        try RowWriter(transaction, layout: layout).heldRow(id)
    }

    /// Writes a value of a `keepBoth` property. The value with the greatest stamp is in the column,
    /// the others are among the deferred cells.
    private mutating func write(
        _ write: SiblingBlock.Write, to property: TableLayout.Property, in row: HeldRow,
        of set: IncomingSet
    ) throws {
        let column = property.column
        var cells = RecordCells(
            try deferred.wireCells(property.wire, of: row.id) + (try shown(property, in: row)))
        cells.write(
            write.value, to: property.wire, stamp: set.stampOnWire, seeing: write.observedTags)
        guard let last = cells.cells.last else { return }
        try deferred.replace(property.wire, of: row.id, by: Array(cells.cells.dropLast()))
        if !isReplaying, cells.cells.count > 1 {
            transaction.views.hiding[row.id] = row.layout.entity
        }
        var writes = row.writes
        writes.advance(to: RowVersion(set.position))
        if let position = try logStamps.position(of: try transaction.localStamp(last.stamp)) {
            writes.writeAgain(column.number, by: position)
        }
        let writer = try RowWriter(transaction, layout: row.layout)
        try writer.write(
            [(column, try transaction.localValue(last.value))], writes: writes, to: row.id)
        if property.showsDefault(inPlaceOf: last.value) {
            transaction.views.registerValues(of: row.id)
        }
        changes.addUpdated(row.id, of: row.layout.entity, slots: [column.slot])
    }

    /// The cell of a property's column; empty if it was never written.
    private func shown(
        _ property: TableLayout.Property, in row: HeldRow
    ) throws -> [RecordCells.Cell] {
        guard let position = row.writes[property.number] else { return [] }
        let stamps = transaction.replicas.stamps([try logStamps[position]])
        let value = try row.wireValue(of: property, transaction)
        return stamps.map {
            RecordCells.Cell(property: property.wire, value: value, stamp: $0)
        }
    }

    private mutating func write(
        _ write: SiblingBlock.Write, of block: SiblingBlock, toUnheld id: LocalID,
        of set: IncomingSet
    ) throws {
        guard try deferred.entity(of: id) == block.entity else {
            return try journal.record(
                .init(
                    kind: .writeToDeleted, record: id, entity: block.entity,
                    property: block.property, value: write.value, lost: set.stamp, winner: nil))
        }
        try deferred.change(block.property, of: id) {
            $0.write(
                write.value, to: block.property, stamp: set.stampOnWire, seeing: write.observedTags)
        }
        try reviveIfAlive(id, by: set)
    }
}
