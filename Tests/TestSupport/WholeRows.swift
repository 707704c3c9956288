package import AnabranchModel
package import AnabranchReplication
package import AnabranchStore

/// A row as it was read, for as long as a test likes.
package struct RowSnapshot: Sendable {
    package let id: LocalID
    package let entity: EntityDescription
    package let version: RowVersion
    package let slots: [Value]

    package init(_ row: StoredRow) {
        id = row.id
        entity = row.entity
        version = row.version
        slots = row.slots
    }
}

extension SaveRequest.Insert {
    /// - Parameter rows: Each with the values of all slots.
    package init(entity: EntityDescription, rows: [(id: LocalID, slots: [Value])]) {
        self.init(entity: entity)
        for row in rows {
            row.slots.withUnsafeBufferPointer { self.rows.append(row.id, $0) }
        }
    }
}

extension SaveRequest.Update {
    /// - Parameter rows: Each with the values of all slots.
    package init(
        entity: EntityDescription, slots: [Int],
        rows: [(id: LocalID, version: RowVersion, slots: [Value])]
    ) {
        self.init(entity: entity, slots: slots)
        for row in rows {
            row.slots.withUnsafeBufferPointer { append(row.id, row.version, $0) }
        }
    }
}
