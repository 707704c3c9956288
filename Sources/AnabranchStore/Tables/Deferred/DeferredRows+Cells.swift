import AnabranchReplication
import AnabranchSQLite

// Deferred cells in their wire form, merged by their merge rules.
extension DeferredRows {
    /// The cells in ascending order of properties, then of stamps.
    func wireCells(
        _ property: WireProperty? = nil, of id: LocalID
    ) throws -> [RecordCells.Cell] {
        try cells(of: id).filter { property == nil || $0.property == property }.map { cell in
            RecordCells.Cell(
                property: cell.property, value: cell.value, stamp: try wireStamp(cell.stamp))
        }.sorted { ($0.property, $0.stamp) < ($1.property, $1.stamp) }
    }

    func write(_ cell: RecordCells.Cell, to id: LocalID) throws {
        try write(
            cell.property, cell.value, to: id, stamp: try transaction.localStamp(cell.stamp))
    }

    /// Merges one property of a record.
    @discardableResult
    func change<Result>(
        _ property: WireProperty, of id: LocalID, _ merge: (inout RecordCells) -> Result
    ) throws -> Result {
        let held = try wireCells(property, of: id)
        var cells = RecordCells(held)
        let result = merge(&cells)
        if cells.cells != held { try replace(property, of: id, by: cells.cells) }
        return result
    }

    func replace(
        _ property: WireProperty, of id: LocalID, by cells: [RecordCells.Cell]
    ) throws {
        if !isEmpty {
            try connection.run(
                """
                DELETE FROM ab_deferred_cell
                WHERE record = ? AND name = ? AND type = ? AND rule = ?
                """, .integer(id), .text(property.name.string),
                .integer(Int64(property.type.rawValue)),
                .integer(Int64(property.rule.rawValue)))
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
        let statement = try connection.cached("SELECT seen FROM ab_delete_mark WHERE record = ?")
        try statement.bind(id, at: 1)
        guard try statement.step() else { return nil }
        defer { statement.reset() }
        return DeleteMark(
            seen: transaction.replicas.stamps(try LinkRows.stamps(statement.bytes(at: 0))))
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
    func wholeValue(of property: TableLayout.Property, id: LocalID) throws -> Value? {
        guard property.group != nil, !isEmpty else { return nil }
        return try cells(of: id).first { $0.property == property.wire }?.value
    }

    /// Keeps the written value of an attribute group if the columns cannot represent it. It
    /// replaces the previous value.
    func keepWhole(
        _ value: Value, of property: TableLayout.Property, id: LocalID, stamp: LocalStamp
    ) throws {
        guard property.group != nil else { return }
        if !isEmpty { try replace(property.wire, of: id, by: []) }
        if !property.isPlain(value) { try write(property.wire, value, to: id, stamp: stamp) }
    }
}
