import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

extension SaveOperation {
    /// Deletes rows and their links. Nothing else is written: references to the deleted records
    /// stay, and read nil from now on.
    mutating func write(_ delete: SaveRequest.Records) throws {
        let layout = schema.layout(of: delete.entity)
        try transaction.views.expose(delete.rows.map(\.id), of: layout)
        try addOwners(of: delete, layout)
        if !seenVersions.isEmpty || !seenLinks.isEmpty || !hiddenWrites.isEmpty {
            try findUnseenContents(of: delete.rows.map(\.id), in: layout)
        }
        // No other replica updates an unsynced record.
        guard delete.entity.deletePolicy == .deleteWins || isUnsynced else {
            return try writeYielding(delete)
        }
        let statement = try connection.cached(layout.deleteSQL + " AND ab_version = ?")
        let links = try LinkRows(connection).removal(from: layout)
        var records: [RecordID] = []
        records.reserveCapacity(delete.rows.count)
        for row in delete.rows {
            try statement.bind(row.id, at: 1)
            try statement.bind(row.version.position, at: 2)
            try statement.run()
            if connection.changes == 0 { addStale(row.id) }
            for statement in links {
                try statement.bind(row.id, at: 1)
                try statement.run()
            }
            try deferred.removeProperties(of: row.id)
            records.append(try transaction.recordID(of: row.id))
            if records.count >= room.cellCount { try append(&records, of: delete.entity) }
        }
        try append(&records, of: delete.entity)
    }

    private mutating func append(_ records: inout [RecordID], of entity: EntityDescription) throws {
        guard !records.isEmpty else { return }
        encoder.append(.delete(RecordBlock(entity: entity.wireName, records: records)))
        records.removeAll(keepingCapacity: true)
        try cutIfFull()
    }

    /// Deletes rows under `updateWins`: they move to the deferred rows, until an update that this
    /// delete has not seen revives them.
    private mutating func writeYielding(_ delete: SaveRequest.Records) throws {
        let layout = schema.layout(of: delete.entity)
        let rows = try CanonicalRows(
            StoreReader(connection, schema: schema), replicas: transaction.replicas)
        let statement = try connection.cached(layout.deleteSQL + " AND ab_version = ?")
        var deletes: [YieldingDeleteBlock.Delete] = []
        var cellCount = 0
        for row in delete.rows {
            guard let record = try rows.record(row.id, in: layout.table) else {
                addStale(row.id)
                continue
            }
            try statement.bind(row.id, at: 1)
            try statement.bind(row.version.position, at: 2)
            try statement.run()
            if connection.changes == 0 { addStale(row.id) }
            let seen = record.cells.filter(\.property.rule.isRegister).map(\.stamp)
            var mark = record.deleteMark ?? DeleteMark(seen: [])
            mark.formUnion(seen)
            try deferred.setMark(mark, of: row.id)
            try deferred.insertDeleted(record, id: row.id)
            deletes.append(.init(record: record.id, stampsSeen: DeleteMark(seen: seen).seen))
            cellCount += 1 + seen.count
            guard cellCount >= room.cellCount else { continue }
            try append(&deletes, of: delete.entity)
            cellCount = 0
        }
        try append(&deletes, of: delete.entity)
    }

    private mutating func append(
        _ deletes: inout [YieldingDeleteBlock.Delete], of entity: EntityDescription
    ) throws {
        guard !deletes.isEmpty else { return }
        encoder.append(
            .yieldingDelete(YieldingDeleteBlock(entity: entity.wireName, deletes: deletes)))
        deletes.removeAll(keepingCapacity: true)
        try cutIfFull()
    }
}
