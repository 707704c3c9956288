import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

// Deletes under `updateWins`.
extension ChangeSetMerge {
    /// Applies deletes. A record is dead as long as its deletes have seen every register value that
    /// it holds.
    mutating func delete(_ block: YieldingDeleteBlock, of set: IncomingSet) throws {
        let rows = try block.deletes.compactMap { try mark($0, entity: block.entity) }
        guard let table = rows.first?.layout.table else { return }
        let states = try CanonicalRows(
            StoreReader(connection, schema: schema), replicas: transaction.replicas)
        for row in rows {
            // A record that one block deletes twice is already dead the second time.
            guard let record = try states.record(row.id, in: table), record.isDead else { continue }
            try insertDeletedRow(record, row)
        }
    }

    /// Adds the stamps that a delete has seen to a record's delete mark.
    ///
    /// - Returns: The record's row; `nil` if it has none.
    private func mark(
        _ delete: YieldingDeleteBlock.Delete, entity: WireName
    ) throws -> HeldRow? {
        let id = try transaction.localID(of: delete.record)
        let row = try schema.recordLayout(named: entity).flatMap { try heldRow(id, $0) }
        guard try row != nil || deferred.entity(of: id) == entity else { return nil }
        var mark = try deferred.mark(of: id) ?? DeleteMark(seen: [])
        mark.formUnion(delete.stampsSeen)
        try deferred.setMark(mark, of: id)
        return row
    }

    /// Moves a dead record with all its values to the deferred rows. Its links stay, and are hidden
    /// as long as one of their ends is.
    private mutating func insertDeletedRow(_ record: CanonicalRecord, _ row: HeldRow) throws {
        try changes.addNeighbours(of: row, StoreReader(connection, schema: schema))
        try connection.run(row.layout.deleteSQL, .integer(row.id))
        try deferred.insertDeleted(record, id: row.id)
        changes.addDeleted(row.id, of: row.layout.entity)
    }

    /// Revives a dead record as soon as it holds a value that no delete has seen.
    mutating func reviveIfAlive(_ id: LocalID, by set: IncomingSet) throws {
        guard let name = try deferred.entity(of: id), let layout = schema.recordLayout(named: name)
        else {
            return
        }
        let record = CanonicalRecord(
            id: try transaction.recordID(of: id), entity: name,
            cells: try deferred.wireCells(of: id), deleteMark: try deferred.mark(of: id))
        guard !record.isDead else { return }
        try deferred.removeDeleted(id)
        let positions = try StampPositions(
            log, stamps: logStamps)
        try RecordRows(transaction, positions: positions)
            .insert(record, id: id, version: RowVersion(set.position))
        try positions.finish()
        try transaction.views.willChange([id], of: layout)
        transaction.views.registerValues(of: id)
        transaction.views.registerFormerLinks(of: [id])
        changes.addInserted([id], of: layout.entity)
        if let row = try heldRow(id, layout) {
            try changes.addNeighbours(of: row, StoreReader(connection, schema: schema))
        }
    }
}
