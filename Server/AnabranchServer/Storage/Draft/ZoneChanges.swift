/// The changes of a transaction that wait to be written. Each row is named once.
package struct ZoneChanges: Sendable {
    package var inserted: [ZoneRows] = []
    /// Rows of keys that the zone holds.
    package var updated: [ZoneRows] = []
    package var removedRecords: [RecordKey] = []
    package var removedLinks: [LinkKey] = []

    var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && removedRecords.isEmpty && removedLinks.isEmpty
    }

    /// Adds the changes of a table, and returns the keys of the removed rows.
    @discardableResult
    mutating func add<Key, Row, Value>(
        _ changes: DraftTable<Key, Row>.Changes<Value>, as rows: ([Value]) -> ZoneRows
    ) -> [Key] {
        if !changes.inserted.isEmpty { inserted.append(rows(changes.inserted)) }
        if !changes.updated.isEmpty { updated.append(rows(changes.updated)) }
        return changes.removed
    }
}

/// A record of the merged state, with its values if they are in memory.
package struct HeldRecord: Sendable {
    /// The zone's number for the entity.
    package var entity: Int64
    /// The bytes of the values and of the delete mark.
    package var byteCount: Int64
    /// The position since which the record is dead; zero if it is alive.
    package var dead: UInt64
    package var values: StateRow?
}

extension HeldRecord {
    init(_ row: StateRow, dead: UInt64) {
        self.init(entity: row.entity, byteCount: row.countedBytes, dead: dead, values: row)
    }

    /// The row of a changed record, which has its values.
    var recordRow: RecordRow? { values.map { RecordRow(row: $0, dead: dead) } }
}
