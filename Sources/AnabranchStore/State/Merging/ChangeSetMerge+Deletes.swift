import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

extension ChangeSetMerge {
    mutating func delete(_ block: RecordBlock, of set: IncomingSet) throws {
        let layout = schema.recordLayout(named: block.entity)
        let writer = try layout.map { try RowWriter(transaction, layout: $0) }
        for record in block.records {
            let id = try transaction.localID(of: record)
            guard let row = try writer?.heldRow(id) else {
                try deleteDeferred(id, entity: block.entity, of: set)
                continue
            }
            try delete(row, of: set)
        }
    }

    private mutating func delete(_ row: HeldRow, of set: IncomingSet) throws {
        let contents = RecordContents(row)
        try forgetChanges(of: row.id)
        try journal(contents, deletedBy: set)
        try changes.addNeighbours(of: row, StoreReader(connection, schema: schema))
        try connection.run(row.layout.deleteSQL, .integer(row.id))
        try LinkRows(connection).removeAll(of: row.id, in: contents.links)
        try deferred.removeProperties(of: row.id)
        changes.addDeleted(row.id, of: row.layout.entity)
    }

    /// Deletes a record that has no row, and everything that belongs to it.
    ///
    /// Such a record is dead, or its entity is abstract or not in the model.
    private mutating func deleteDeferred(
        _ id: LocalID, entity: WireName, of set: IncomingSet
    ) throws {
        guard try deferred.entity(of: id) == entity else { return }
        // A known relationship may link a record of an unknown sub-entity.
        let contents = RecordContents(id: id, entity: entity, links: schema.syncedLinkLayouts)
        try forgetChanges(of: id)
        try journal(contents, deletedBy: set)
        try LinkRows(connection).removeAll(of: id, in: contents.links)
        try deferred.delete(id)
    }

    /// Writes what was only kept in memory of a record so far, or drops what ends with it.
    private mutating func forgetChanges(of id: LocalID) throws {
        try transaction.changedLinks.write(linksOf: id)
        transaction.changedMarks.forget(id)
        lives?.forget(id)
    }

    /// Records what a record holds, if the deleting replica had not seen all of it: the unseen
    /// values, and the others with which they were one record.
    private func journal(_ contents: RecordContents, deletedBy set: IncomingSet) throws {
        var hasUnseen = false
        try forEach(in: contents) { stamp, _ in
            hasUnseen = try hasUnseen || journal.isConcurrent(stamp, with: set)
        }
        guard hasUnseen else { return }
        try forEach(in: contents) { stamp, content in
            let isUnseen = try journal.isConcurrent(stamp, with: set)
            try journal.record(try content().deleted(by: set.stamp, isUnseen: isUnseen))
        }
    }
}
