package import AnabranchModel
package import AnabranchReplication
package import AnabranchStore

/// A row that a test can keep after the read.
package struct RowSnapshot: Sendable {
    package let id: LocalID
    package let entity: EntityDescription
    package let version: RowVersion
    package let slots: [PropertyValue]

    package init(_ row: StoredRow) {
        id = row.id
        entity = row.entity
        version = row.version
        slots = row.slots
    }
}

extension SaveRequest.Insert {
    /// - Parameter rows: The rows, each with the values of all slots.
    package init(entity: EntityDescription, rows: [(id: LocalID, slots: [PropertyValue])]) {
        self.init(entity: entity)
        for row in rows {
            row.slots.withUnsafeBufferPointer { self.rows.append(row.id, $0) }
        }
    }
}

extension SaveRequest.Update {
    /// - Parameter rows: The rows, each with the values of all slots.
    package init(
        entity: EntityDescription, slots: [Int],
        rows: [(id: LocalID, version: RowVersion, slots: [PropertyValue])]
    ) {
        self.init(entity: entity, slots: slots)
        for row in rows {
            row.slots.withUnsafeBufferPointer { append(row.id, row.version, $0) }
        }
    }
}
