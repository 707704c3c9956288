import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

extension ChangeSetMerge {
    mutating func insert(_ block: RowBlock, of set: IncomingSet) throws {
        let layout = schema.recordLayout(named: block.entity)
        try checkAreNew(block, in: layout?.table, of: set)
        guard let layout else { return try deferred.insert(block, stamp: set.stamp) }
        let mapping = ColumnMapping(block.properties, layout: layout)
        var writer = try InsertWriter(
            mapping.columns, of: layout, rowCount: block.records.count,
            writes: mapping.writes(by: set), connection)
        let ordinal = set.stamp.ordinal
        for (row, record) in block.records.enumerated() {
            let id = LocalID(ordinal: ordinal, number: record.number)
            try writer.begin(id)
            let statement = writer.statement
            var place = writer.parameter(ofColumn: 0)
            for (property, source) in zip(mapping.properties, mapping.sources) {
                let value = try transaction.localValue(block.columns[source][row])
                try statement.bind(value, to: property, at: &place, transaction.localID(of:))
                if property.column.kind == .reference {
                    changes.addInverse(of: property.column, target: try target(of: value))
                }
            }
            try end(&writer, of: set)
            for (property, source) in zip(mapping.properties, mapping.sources)
            where property.group != nil {
                try deferred.keepWhole(
                    block.columns[source][row], of: property, id: id, stamp: set.stamp)
            }
            for source in mapping.unknown {
                try deferred.write(
                    block.properties[source], block.columns[source][row], to: id, stamp: set.stamp)
            }
        }
        let ids = block.records.map { LocalID(ordinal: ordinal, number: $0.number) }
        for (property, source) in zip(mapping.properties, mapping.sources)
        where !property.valueWhenNull.isNull {
            for (row, id) in ids.enumerated() where block.columns[source][row].isNull {
                transaction.views.registerValues(of: id)
            }
        }
        changes.addInserted(ids, of: layout.entity)
    }

    /// Checks that the records of an insert are new. The primary key of their own table finds other
    /// duplicates.
    private func checkAreNew(
        _ block: RowBlock, in table: TableLayout?, of set: IncomingSet
    ) throws {
        let ids = block.records.map { LocalID(ordinal: set.stamp.ordinal, number: $0.number) }
        if let id = try held.duplicate(among: ids, notIn: table) {
            throw insertedTwice(id, of: set)
        }
    }

    private func insertedTwice(
        _ id: LocalID, of set: IncomingSet, underlying: (any Error)? = nil
    ) -> StoreError {
        StoreError(
            .malformedChangeSet,
            "Can't apply \(set.changeSet.dot) because it inserts record \(id.number) of its "
                + "author a second time.", path: transaction.store.path, records: [id],
            underlying: underlying)
    }

    private func end(_ writer: inout InsertWriter, of set: IncomingSet) throws {
        do {
            try writer.end()
        } catch let error as SQLiteError where error.code == .constraint {
            guard let id = writer.repeatedRow else { throw error }
            throw insertedTwice(id, of: set, underlying: error)
        }
    }

    /// The local ID that a reference column gets.
    private func target(of value: PropertyValue) throws -> PropertyValue {
        guard let entry = ListEntry(value) else { return value }
        return .integer(try transaction.localID(of: entry.target))
    }

    mutating func update(_ block: RowBlock, of set: IncomingSet) throws {
        guard let layout = schema.recordLayout(named: block.entity) else {
            return try updateDeferred(block, of: set)
        }
        let mapping = ColumnMapping(block.properties, layout: layout)
        let writer = try RowWriter(transaction, layout: layout, reading: mapping.properties)
        let ids = try block.records.map(transaction.localID(of:))
        writer.expect(ids)
        for (row, id) in ids.enumerated() {
            guard let held = try writer.heldRow(id) else {
                try writer.finish()
                try update(block, row: row, ofUnheld: id, of: set)
                continue
            }
            try update(held, by: block, row: row, mapping, of: set, writer)
            for source in mapping.unknown {
                let (property, value) = (block.properties[source], block.columns[source][row])
                if let successor = layout.successor(of: property) {
                    try update(property, value, showingAs: successor, of: held, set)
                } else {
                    try updateDeferredCell(property, value, of: id, entity: block.entity, set)
                }
            }
        }
        try writer.finish()
    }

    private mutating func update(
        _ held: HeldRow, by block: RowBlock, row: Int, _ mapping: ColumnMapping,
        of set: IncomingSet, _ writer: RowWriter
    ) throws {
        var writes = held.writes
        var taken: [TableLayout.Property.Cell] = []
        taken.reserveCapacity(mapping.properties.count)
        var slots = SlotSet()
        for index in mapping.properties.indices {
            let property = mapping.properties[index]
            let value = block.columns[mapping.sources[index]][row]
            var stamp: LocalStamp?
            if let position = writes[property.number] { stamp = try logStamps[position] }
            switch try outcome(of: set.stamp, writing: value, to: property, of: held, over: stamp) {
            case .replaces:
                if property.rule.loses {
                    try journalReplaced(property, of: held, held: stamp, by: value, set)
                }
                try take(value, of: property, held, &taken, &slots)
                if property.showsDefault(inPlaceOf: value) {
                    transaction.views.registerValues(of: held.id)
                }
                try deferred.keepWhole(value, of: property, id: held.id, stamp: set.stamp)
                try write(property.number, by: set, in: &writes)
            case .loses where property.rule.loses:
                try journalDiscarded(property, of: held, value: value, to: stamp, set)
            case .loses, .isDuplicate: break
            }
        }
        guard !taken.isEmpty else { return }
        try addChangedTargets(taken, of: held)
        try writer.writeSoon(taken, writes: writes, to: held.id)
        changes.addUpdated(held.id, of: held.layout.entity, slots: slots)
    }

    /// Adds the cells of a value that wins.
    ///
    /// - Parameter value: The value in its wire form.
    private func take(
        _ value: PropertyValue, of property: TableLayout.Property, _ row: HeldRow,
        _ taken: inout [TableLayout.Property.Cell], _ slots: inout SlotSet
    ) throws {
        guard property.group != nil else {
            taken.append((property.column, try transaction.localValue(value)))
            return slots.insert(property.column.slot)
        }
        taken += property.cells(of: value)
        slots.formUnion(try changedSlots(of: property, to: value, in: row))
    }

    /// The changed slots of a property; of an attribute group only the members with a different
    /// value.
    private func changedSlots(
        of property: TableLayout.Property, to value: PropertyValue, in row: HeldRow
    ) throws -> SlotSet {
        let changed = try property.cells(of: value).filter { column, value in
            try row.value(of: column, on: connection) != value
        }
        return SlotSet(changed.map(\.column.slot))
    }

    /// Reports the changed inverse of a to-one: on the previous target and on the new one.
    private mutating func addChangedTargets(
        _ taken: [TableLayout.Property.Cell], of row: HeldRow
    ) throws {
        for (column, value) in taken where column.kind == .reference {
            changes.addInverse(of: column, target: try self.value(of: column, in: row))
            changes.addInverse(of: column, target: try target(of: value))
        }
    }

    /// The value that a row holds now.
    func value(of column: TableLayout.Column, in row: HeldRow) throws -> PropertyValue {
        try row.value(of: column, on: connection)
    }

    func write(_ property: Int, by set: IncomingSet, in writes: inout RowWrites) throws {
        if isReplaying {
            writes.writeAgain(property, by: set.position)
        } else {
            try writes.write(property, by: set.position)
        }
    }

    /// The value that a row holds now, in its wire form.
    func shownValue(of property: TableLayout.Property, in row: HeldRow) throws -> PropertyValue {
        try deferred.wholeValue(of: property, id: row.id)
            ?? row.wireValue(of: property, transaction)
    }

    /// The outcome of a write.
    ///
    /// - Parameters:
    ///   - value: The new value in its wire form.
    ///   - held: The stamp of the held value; `nil` if the property was never written.
    private func outcome(
        of incoming: LocalStamp, writing value: PropertyValue, to property: TableLayout.Property,
        of row: HeldRow, over held: LocalStamp?
    ) throws -> Register.Outcome {
        guard let held, property.rule != .lastWriter else {
            return outcome(of: incoming, over: held)
        }
        return try mergeRuleOutcome(of: incoming, writing: value, to: property, of: row, over: held)
    }

    /// The outcome of a write under a rule other than `lastWriter`.
    ///
    /// It must not be inlined into the loop over a row's values. Otherwise the optimizer of Swift
    /// 6.3 fails when it compiles for size or without exclusivity checks.
    @inline(never)
    private func mergeRuleOutcome(
        of incoming: LocalStamp, writing value: PropertyValue, to property: TableLayout.Property,
        of row: HeldRow, over held: LocalStamp
    ) throws -> Register.Outcome {
        try Register.outcome(
            ofWriting: try deferred.wireStamp(incoming), over: try deferred.wireStamp(held),
            by: property.rule
        ) { (value, try shownValue(of: property, in: row)) }
    }

    private func outcome(of incoming: LocalStamp, over held: LocalStamp?) -> Register.Outcome {
        guard let held else { return .replaces }
        if held == incoming { return .isDuplicate }
        return precedes(held, incoming) ? .replaces : .loses
    }

    /// The order of stamps: by timestamp, then by the bytes of the replica ID, never by ordinal.
    func precedes(_ left: LocalStamp, _ right: LocalStamp) -> Bool {
        if left.timestamp != right.timestamp { return left.timestamp < right.timestamp }
        guard let leftReplica = transaction.replicas[left.ordinal],
            let rightReplica = transaction.replicas[right.ordinal]
        else { return left.ordinal < right.ordinal }
        return leftReplica < rightReplica
    }
}

/// The mapping from the properties of a block to the columns of a table.
struct ColumnMapping {
    /// The properties that are written, and the index of each in the block.
    private(set) var properties: [TableLayout.Property] = []
    private(set) var sources: [Int] = []
    /// The indices of properties that this model does not have.
    private(set) var unknown: [Int] = []
    /// The numbers in `ab_writes` of the entity's properties that the block does not write.
    private let unwritten: [Int]
    private let dropped: [DroppedColumn]

    init(_ properties: [WireProperty], layout: EntityLayout) {
        for (source, property) in properties.enumerated() {
            if let property = layout.property(property) {
                self.properties.append(property)
                sources.append(source)
            } else {
                unknown.append(source)
            }
        }
        let written = Set(self.properties.map(\.number))
        unwritten = layout.properties.map(\.number).filter { !written.contains($0) }
        dropped = layout.table.dropped
    }

    var columns: [TableLayout.Column] { properties.flatMap(\.columns) }

    /// The writes of a row that a change set inserts.
    func writes(by set: IncomingSet) -> RowWrites {
        var writes = RowWrites(by: set.position)
        for number in unwritten { writes.leaveUnwritten(number) }
        // A repair inserts rows again that are older than the drop.
        writes.leaveUnwritten(dropped)
        return writes
    }
}
