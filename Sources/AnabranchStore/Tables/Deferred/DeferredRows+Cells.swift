import AnabranchReplication
import AnabranchSQLite

// Deferred cells in their wire form, merged by their merge rules.
extension DeferredRows {
    /// The cells in ascending order of properties, then of stamps.
    func wireCells(of id: LocalID, _ selection: CellSelection = .all) throws -> [RecordCells.Cell] {
        try cells(of: id, selection).map(wireCell).sorted {
            ($0.property, $0.stamp) < ($1.property, $1.stamp)
        }
    }

    private func wireCell(_ cell: Cell) throws -> RecordCells.Cell {
        RecordCells.Cell(
            property: cell.property, value: cell.value, stamp: try wireStamp(cell.stamp))
    }

    func write(_ cell: RecordCells.Cell, to id: LocalID) throws {
        try write(cell.property, cell.value, to: id, stamp: try transaction.localStamp(cell.stamp))
    }

    /// Merges a property of a record that has one cell. Under `keepBoth` use
    /// `write(_:to:seeing:)`.
    @discardableResult
    func change<Result>(
        _ property: WireProperty, of id: LocalID, _ merge: (inout RecordCells) -> Result
    ) throws -> Result {
        let held = try wireCells(of: id, .of(property))
        var cells = RecordCells(held)
        let result = merge(&cells)
        if cells.cells != held { try replace(property, of: id, by: cells.cells) }
        return result
    }

    func replace(_ property: WireProperty, of id: LocalID, by cells: [RecordCells.Cell]) throws {
        if !isEmpty {
            try connection.cached(Self.removingProperty, id, property.columns).run()
        }
        for cell in cells { try write(cell, to: id) }
    }

    func wireStamp(_ stamp: LocalStamp) throws -> Stamp {
        guard let wire = transaction.replicas.stamps([stamp]).first else {
            throw StoreError(
                .corrupt, "Can't read a stamp because replica \(stamp.ordinal) is unknown.",
                path: transaction.store.path)
        }
        return wire
    }
}

// The values of one property that stay beside each other under `keepBoth`. There may be many, so
// each is found by the primary key, and the others are not read.
extension DeferredRows {
    /// Writes a value beside those that its author had not seen, and removes the others. A value
    /// with the same stamp stays as it is.
    func write(_ cell: RecordCells.Cell, to id: LocalID, seeing seen: [Stamp]) throws {
        try remove(seen, of: cell.property, from: id)
        try CellInsertion(of: cell.property, into: self, ifAbsent: true)
            .insert(cell.value, of: id, stamp: try transaction.localStamp(cell.stamp))
    }

    /// Removes the values with some stamps.
    func remove(_ stamps: [Stamp], of property: WireProperty, from id: LocalID) throws {
        guard !isEmpty, !stamps.isEmpty else { return }
        for stamp in stamps {
            guard let ordinal = transaction.replicas.ordinal(of: stamp.replica) else { continue }
            let local = LocalStamp(timestamp: stamp.timestamp.rawValue, ordinal: ordinal)
            try connection.cached(Self.removingValue, id, property.columns, local).run()
        }
    }

    /// The value with the greatest stamp; `nil` if there is none.
    func greatest(of property: WireProperty, in id: LocalID) throws -> RecordCells.Cell? {
        guard !isEmpty else { return nil }
        let statement = try connection.cached(Self.latestFirst, id, property.columns)
        var greatest: RecordCells.Cell?
        while try statement.step() {
            let cell = try wireCell(Self.cell(statement))
            if let greatest, greatest.stamp.timestamp > cell.stamp.timestamp { break }
            // The ordinals of replicas say nothing about their order.
            greatest = greatest.map { $0.stamp < cell.stamp ? cell : $0 } ?? cell
        }
        return greatest
    }
}

extension DeferredRows {
    private static let removingProperty = "DELETE \(CellSelection.fromProperty)"
    private static let removingValue = "\(removingProperty) AND hlc = ? AND by = ?"
    private static let latestFirst =
        "\(CellSelection.columns) \(CellSelection.fromProperty) ORDER BY hlc DESC"
}

// Records without a row: dead records and members of duplicate sets.
extension DeferredRows {
    /// Keeps a record that has no row, with all its cells.
    func insertDeleted(_ record: CanonicalRecord, id: LocalID) throws {
        try connection.run("DELETE FROM ab_deferred_cell WHERE record = ?", .integer(id))
        try insert(id, entity: record.entity)
        for cell in record.cells { try write(cell, to: id) }
    }

    /// Removes a record that gets a row. Its delete mark and its unknown links stay.
    func removeDeleted(_ id: LocalID) throws {
        try connection.run("DELETE FROM ab_deferred_record WHERE record = ?", .integer(id))
        try connection.run("DELETE FROM ab_deferred_cell WHERE record = ?", .integer(id))
    }

    /// The stamps that deletes under `updateWins` have seen of a record; `nil` if there was no such
    /// delete.
    func mark(of id: LocalID) throws -> DeleteMark? {
        guard !isEmpty else { return nil }
        return try connection.cached("SELECT seen FROM ab_delete_mark WHERE record = ?", id).first {
            DeleteMark(seen: transaction.replicas.stamps(try LinkRows.stamps($0.bytes(at: 0))))
        }
    }

    func setMark(_ mark: DeleteMark, of id: LocalID) throws {
        isEmpty = false
        let seen = try mark.seen.map(transaction.localStamp)
        try connection.run(
            "INSERT OR REPLACE INTO ab_delete_mark (record, seen) VALUES (?, ?)", .integer(id),
            .blob(LinkRows.more(seen)))
    }
}

// Values of attribute groups that the columns of their members cannot represent.
extension DeferredRows {
    /// The whole value of an attribute group; `nil` if the columns represent it.
    func wholeValue(of property: TableLayout.Property, id: LocalID) throws -> PropertyValue? {
        guard property.group != nil, !isEmpty else { return nil }
        return try cells(of: id, .of(property.wire)).first?.value
    }

    /// Keeps the written value of an attribute group if the columns cannot represent it. It
    /// replaces the previous value.
    func keepWhole(
        _ value: PropertyValue, of property: TableLayout.Property, id: LocalID, stamp: LocalStamp
    ) throws {
        guard property.group != nil else { return }
        if !isEmpty { try replace(property.wire, of: id, by: []) }
        if !property.isPlain(value) { try write(property.wire, value, to: id, stamp: stamp) }
    }
}
