import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

extension ApplyOperation {
    mutating func delete(_ block: RecordBlock, of set: IncomingSet) throws {
        let entity = schema.model.entity(wireName: block.entity)
        for record in block.records {
            let id = try transaction.localID(of: record)
            guard let entity else {
                try deferred.delete(id, entity: block.entity)
                continue
            }
            let layout = schema.layout(of: entity)
            guard let version = try heldVersion(of: id, layout: layout) else { continue }
            try delete(HeldRow(id: id, version: version, layout: layout), of: set)
        }
    }

    private mutating func delete(_ row: HeldRow, of set: IncomingSet) throws {
        try journalWrites(unseenBy: set, in: row)
        try noteNeighbours(of: row)
        try connection.run(row.layout.deleteSQL, .integer(row.id))
        try LinkRows(connection).removeAll(of: row.id, layout: row.layout)
        try deferred.removeProperties(of: row.id)
        changes.noteDeleted(row.id, of: row.layout.entity)
    }

    /// What another replica wrote without the deleter's knowledge is lost with the record.
    private func journalWrites(unseenBy set: IncomingSet, in row: HeldRow) throws {
        let stamps = try RowStamps(row.version)
        for column in row.layout.columns {
            guard let held = stamps[column.number],
                try journal.isConcurrent(held, with: set)
            else { continue }
            try journal.record(
                .init(
                    kind: .deletedWhileWritten, record: row.id, entity: row.layout.entity.wireName,
                    property: column.property.wireProperty,
                    value: try wireValue(try value(of: column, in: row), column.kind),
                    lost: held, winner: set.stamp))
        }
    }

    /// Records whose relationships lose an end: those that the row refers to, those that refer
    /// to it and read nil from now on, and those that are linked with it.
    private mutating func noteNeighbours(of row: HeldRow) throws {
        for column in row.layout.columns where column.kind == .reference {
            changes.noteInverse(of: column, target: try value(of: column, in: row))
        }
        let reader = StoreReader(connection, schema: schema)
        for relationship in row.layout.entity.relationships {
            guard relationship.storage != .reference, let inverse = relationship.inverse else {
                continue
            }
            for related in try reader.related(by: relationship, of: [row.id]) {
                changes.noteUpdated(related.id, of: related.entity, slots: [inverse.slot])
            }
        }
    }

    /// A stored value as it travels.
    func wireValue(_ value: Value, _ kind: ColumnKind) throws -> Value {
        guard kind == .reference, case .integer(let id) = value else { return value }
        return .reference(try transaction.recordID(of: id))
    }
}
