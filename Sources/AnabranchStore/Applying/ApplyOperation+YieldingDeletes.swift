import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

// Deletes that updates win against.
extension ApplyOperation {
    /// A record is dead while its deletes have seen every register value that it holds.
    mutating func delete(_ block: YieldingDeleteBlock, of set: IncomingSet) throws {
        for delete in block.deletes {
            let id = try transaction.localID(of: delete.record)
            try self.delete(id, entity: block.entity, seeing: delete.stampsSeen, of: set)
        }
    }

    private mutating func delete(
        _ id: LocalID, entity: WireName, seeing seen: [Stamp], of set: IncomingSet
    ) throws {
        let row = try layout(named: entity).flatMap { try heldRow(id, $0) }
        guard try row != nil || deferred.entity(of: id) == entity else { return }
        var mark = try deferred.mark(of: id) ?? DeleteMark(seen: [])
        mark.formUnion(seen)
        try deferred.setMark(mark, of: id)
        guard let row else { return }
        let record = try stateOf(row)
        if record.isDead { try bury(record, row, of: set) }
    }

    /// Takes a record out of sight, with all its values. Its links stay, and are out of sight
    /// while one of their ends is.
    private mutating func bury(
        _ record: CanonicalRecord, _ row: HeldRow, of set: IncomingSet
    ) throws {
        try changes.noteNeighbours(of: row, StoreReader(connection, schema: schema))
        try connection.run(row.layout.deleteSQL, .integer(row.id))
        try deferred.bury(record, id: row.id)
        changes.noteDeleted(row.id, of: row.layout.entity)
    }

    /// Brings a dead record back once it holds a value that no delete has seen.
    mutating func reviveIfAlive(_ id: LocalID, by set: IncomingSet) throws {
        guard let name = try deferred.entity(of: id), let layout = layout(named: name) else {
            return
        }
        let record = CanonicalRecord(
            id: try transaction.recordID(of: id), entity: name,
            cells: try deferred.wireCells(of: id), deleteMark: try deferred.mark(of: id))
        guard !record.isDead else { return }
        try deferred.unbury(id)
        try RecordRows(self).insert(record, id: id, version: RowVersion(set.position))
        changes.noteInserted([id], of: layout.entity)
        if let row = try heldRow(id, layout) {
            try changes.noteNeighbours(of: row, StoreReader(connection, schema: schema))
        }
    }

    private func stateOf(_ row: HeldRow) throws -> CanonicalRecord {
        let reader = StoreReader(connection, schema: schema)
        let table = schema.tables.firstIndex { $0 === row.layout.table } ?? 0
        let rows = try CanonicalRows(reader, replicas: transaction.replicas)
        guard let record = try rows.record(row.id, table: table) else {
            throw StoreError(
                .corrupt, "Can't read record \(row.id) to delete it.",
                path: transaction.store.path, records: [row.id])
        }
        return record
    }
}
