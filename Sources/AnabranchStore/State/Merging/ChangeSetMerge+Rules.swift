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
    /// the others are among the deferred cells, which are not read: there may be many.
    private mutating func write(
        _ write: SiblingBlock.Write, to property: TableLayout.Property, in row: HeldRow,
        of set: IncomingSet
    ) throws {
        let column = property.column
        let new = RecordCells.Cell(
            property: property.wire, value: write.value, stamp: set.stampOnWire)
        let shown = try shown(property, in: row)
        try deferred.remove(write.observedTags, of: property.wire, from: row.id)
        let last = try last(
            of: new, over: shown.flatMap { write.observedTags.contains($0.stamp) ? nil : $0 },
            in: row)
        var writes = row.writes
        writes.advance(to: RowVersion(set.position))
        if last == new {
            writes.writeAgain(column.number, by: set.position)
        } else if last != shown,
            let position = try logStamps.position(of: try transaction.localStamp(last.stamp))
        {
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

    /// Puts a new value of a `keepBoth` property beside the others.
    ///
    /// - Parameter shown: The value in the column; `nil` if the new one replaces it, or if there is
    ///   none.
    /// - Returns: The value with the greatest stamp, which is not among the deferred cells.
    private func last(
        of new: RecordCells.Cell, over shown: RecordCells.Cell?, in row: HeldRow
    ) throws -> RecordCells.Cell {
        let property = new.property
        let greatest = try shown ?? deferred.greatest(of: property, in: row.id)
        guard let greatest else { return new }
        if !isReplaying { transaction.views.hiding[row.id] = row.layout.entity }
        if greatest.stamp < new.stamp {
            if shown != nil { try deferred.write(greatest, to: row.id, seeing: []) }
            return new
        }
        if shown == nil { try deferred.remove([greatest.stamp], of: property, from: row.id) }
        if new.stamp < greatest.stamp { try deferred.write(new, to: row.id, seeing: []) }
        return greatest
    }

    /// The cell of a property's column; `nil` if it was never written.
    private func shown(
        _ property: TableLayout.Property, in row: HeldRow
    ) throws -> RecordCells.Cell? {
        guard let position = row.writes[property.number] else { return nil }
        return RecordCells.Cell(
            property: property.wire, value: try row.wireValue(of: property, transaction),
            stamp: try deferred.wireStamp(try logStamps[position]))
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
        let cell = RecordCells.Cell(
            property: block.property, value: write.value, stamp: set.stampOnWire)
        try deferred.write(cell, to: id, seeing: write.observedTags)
        noteWrite(toUnheld: id)
    }
}
