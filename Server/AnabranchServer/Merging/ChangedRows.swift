import AnabranchReplication

/// A row with its cells and the stamps of its deletes decoded.
struct ChangedRow {
    /// The row as the zone stores it; `nil` if it was inserted without being counted.
    let stored: StateRow?
    /// The row without the changes of `cells` and of the deletes.
    let row: StateRow
    var cells: CellList
    /// The stamps that deletes under `updateWins` have seen, in any order; `nil` without such a
    /// delete. They become a `DeleteMark` once, because that sorts them.
    var seen: [Stamp]?
    fileprivate(set) var isChanged = false
    fileprivate(set) var entity: WireName?
}

/// The rows that a change set changes.
///
/// Each row is decoded when the first operation names it, and encoded after the last one. So the
/// work is proportional to the operations and to the rows, and not to their product, in however
/// many blocks a change set names a record.
final class ChangedRows {
    private var rows: [RecordKey: ChangedRow] = [:]
    /// An upper limit of the bytes of all cells.
    private(set) var byteCount = 0

    var count: Int { rows.count }

    func contains(_ key: RecordKey) -> Bool { rows[key] != nil }

    func add(_ row: ChangedRow) {
        rows[row.row.key] = row
        byteCount += row.cells.byteCount
    }

    /// Changes a row of an entity; a row that is missing or of another entity stays as it is.
    ///
    /// - Parameter body: Returns true if it changed the row.
    func change(
        _ key: RecordKey, of entity: Int64, named name: WireName,
        _ body: (inout ChangedRow) throws -> Bool
    ) throws {
        guard let index = rows.index(forKey: key), rows.values[index].row.entity == entity
        else { return }
        let before = rows.values[index].cells.byteCount
        guard try body(&rows.values[index]) else { return }
        rows.values[index].isChanged = true
        rows.values[index].entity = name
        byteCount += rows.values[index].cells.byteCount - before
    }

    /// Drops a row with its changes, because its record was deleted.
    func forget(_ key: RecordKey) {
        guard let row = rows.removeValue(forKey: key) else { return }
        byteCount -= row.cells.byteCount
    }

    /// Returns the rows that were changed, and forgets all rows.
    func takeChanged() -> [ChangedRow] {
        defer { (rows, byteCount) = ([:], 0) }
        return rows.values.filter(\.isChanged)
    }
}
