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
    /// The values under `keepBoth` that were written, by property; they are not in `cells` yet.
    private var written: [Int64: Siblings<CellList.Cell>] = [:]
    fileprivate(set) var isChanged = false
    fileprivate(set) var entity: WireName?

    /// An upper limit of the bytes of the cells and of the stamps in memory.
    var byteCount: Int { cells.byteCount + MemoryLayout<Stamp>.stride * (seen?.count ?? 0) }
}

extension ChangedRow {
    init(stored: StateRow?, row: StateRow, cells: CellList, seen: [Stamp]?) {
        self.stored = stored
        self.row = row
        self.cells = cells
        self.seen = seen
    }

    /// Writes a value under `keepBoth`. The held values are decoded at the first of many writes.
    mutating func write(
        _ cell: CellList.Cell, stamp: Stamp, seeing seen: [Stamp],
        stampOf: (CellList.Cell) throws -> Stamp
    ) throws {
        if written[cell.property] == nil {
            written[cell.property] = Siblings(
                try cells.siblings(of: cell.property).map {
                    Siblings.Sibling(stamp: try stampOf($0), content: $0)
                })
        }
        written[cell.property]?.write(cell, stamp: stamp, seeing: seen)
    }

    /// Puts the values that were written of a property into `cells`.
    mutating func settle(_ property: Int64) {
        guard !written.isEmpty, let siblings = written.removeValue(forKey: property) else { return }
        cells.put(siblings.all.map(\.content), of: property)
    }

    fileprivate mutating func settleAll() {
        for property in written.keys { settle(property) }
    }
}

/// The rows that a change set changes.
///
/// Each row is decoded when the first operation names it, and encoded after the last one. So the
/// work is proportional to the operations and to the rows, and not to their product, in however
/// many blocks a change set names a record.
final class ChangedRows {
    private var rows: [RecordKey: ChangedRow] = [:]
    /// An upper limit of the bytes of all rows.
    private(set) var byteCount = 0

    var count: Int { rows.count }

    func contains(_ key: RecordKey) -> Bool { rows[key] != nil }

    func add(_ row: ChangedRow) {
        rows[row.row.key] = row
        byteCount += row.byteCount
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
        let before = rows.values[index].byteCount
        guard try body(&rows.values[index]) else { return }
        rows.values[index].isChanged = true
        rows.values[index].entity = name
        byteCount += rows.values[index].byteCount - before
    }

    /// Drops a row with its changes, because its record was deleted.
    func forget(_ key: RecordKey) {
        guard let row = rows.removeValue(forKey: key) else { return }
        byteCount -= row.byteCount
    }

    /// Returns the rows that were changed, and forgets all rows.
    func takeChanged() -> [ChangedRow] {
        defer { (rows, byteCount) = ([:], 0) }
        return rows.values.filter(\.isChanged).map { row in
            var row = row
            row.settleAll()
            return row
        }
    }
}
