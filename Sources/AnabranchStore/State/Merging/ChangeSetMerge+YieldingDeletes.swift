import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

// Deletes under `updateWins`.
extension ChangeSetMerge {
    /// Takes deletes. A record is dead as long as its deletes have seen every register value that
    /// it holds.
    mutating func delete(_ block: YieldingDeleteBlock, of set: IncomingSet) throws {
        let layout = schema.recordLayout(named: block.entity)
        if lives == nil { lives = ChangedLives() }
        for delete in block.deletes {
            let id = try transaction.localID(of: delete.record)
            let row = try layout.flatMap { try heldRow(id, $0) }
            guard try row != nil || deferred.entity(of: id) == block.entity else { continue }
            lives?.delete(id, row, seeing: delete.stampsSeen)
        }
    }

    /// Notes that a record without a row got a value, which may revive it.
    mutating func noteWrite(toUnheld id: LocalID) {
        if lives == nil { lives = ChangedLives() }
        lives?.write(toDead: id)
    }

    /// Decides which of the records are dead that the change set has deleted or written to.
    mutating func settle(_ lives: ChangedLives, of set: IncomingSet) throws {
        self.lives = nil
        let entries = lives.all
        for entry in entries {
            if let seen = entry.seen { try transaction.changedMarks.add(seen, to: entry.id) }
        }
        try removeDead(entries.compactMap { $0.seen == nil ? nil : $0.row })
        for entry in entries where entry.isWritten { try reviveIfAlive(entry.id, by: set) }
    }

    private mutating func removeDead(_ rows: [HeldRow]) throws {
        guard !rows.isEmpty else { return }
        let states = try CanonicalRows(
            StoreReader(connection, schema: schema), replicas: transaction.replicas)
        for row in rows {
            guard var record = try states.record(row.id, in: row.layout.table) else { continue }
            record.deleteMark = try transaction.changedMarks.mark(of: row.id)
            if record.isDead { try insertDeletedRow(record, row) }
        }
    }

    /// Moves a dead record with all its values to the deferred rows. Its links stay, and are hidden
    /// as long as one of their ends is.
    private mutating func insertDeletedRow(_ record: CanonicalRecord, _ row: HeldRow) throws {
        try transaction.changedLinks.write(linksOf: row.id)
        try changes.addNeighbours(of: row, StoreReader(connection, schema: schema))
        try connection.run(row.layout.deleteSQL, .integer(row.id))
        try deferred.insertDeleted(record, id: row.id)
        changes.addDeleted(row.id, of: row.layout.entity)
    }

    /// Revives a dead record as soon as it holds a value that no delete has seen.
    private mutating func reviveIfAlive(_ id: LocalID, by set: IncomingSet) throws {
        guard let name = try deferred.entity(of: id), let layout = schema.recordLayout(named: name)
        else {
            return
        }
        var record = CanonicalRecord(
            id: try transaction.recordID(of: id), entity: name,
            cells: try deferred.wireCells(of: id),
            deleteMark: try transaction.changedMarks.mark(of: id))
        guard !record.isDead else { return }
        // The mark stays where it is.
        record.deleteMark = nil
        try deferred.removeDeleted(id)
        let positions = try StampPositions(log, stamps: logStamps)
        try RecordRows(transaction, positions: positions)
            .insert(record, id: id, version: RowVersion(set.position))
        try positions.finish()
        try transaction.views.willChange([id], of: layout)
        transaction.views.registerValues(of: id)
        transaction.views.registerFormerLinks(of: [id])
        changes.addInserted([id], of: layout.entity)
        try transaction.changedLinks.write(linksOf: id)
        if let row = try heldRow(id, layout) {
            try changes.addNeighbours(of: row, StoreReader(connection, schema: schema))
        }
    }
}
