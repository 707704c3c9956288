package import AnabranchModel
package import AnabranchReplication

/// Values of the same slots of many records, row after row.
package struct SlotTable: Sendable {
    /// The slots, ascending.
    package let slots: [Int]
    package private(set) var ids: [LocalID] = []
    /// The values, as many for each row as there are slots; a reference is a local ID.
    package private(set) var values: [PropertyValue] = []

    package init(slots: [Int]) { self.slots = slots }

    /// A table of every slot that has a column in the entity's table.
    package init(storedSlotsOf entity: EntityDescription) {
        self.init(slots: entity.slots.filter(\.isStoredInColumn).map(\.slot))
    }

    package var isEmpty: Bool { ids.isEmpty }
    package var count: Int { ids.count }

    /// Adds a record.
    ///
    /// - Parameter row: The values of all slots of the record's entity.
    package mutating func append(_ id: LocalID, _ row: UnsafeBufferPointer<PropertyValue>) {
        if ids.isEmpty { values.reserveCapacity(slots.count) }
        ids.append(id)
        for slot in slots { values.append(row[slot]) }
    }

    /// The value of a row in one of the slots, both given by index.
    package subscript(row: Int, column: Int) -> PropertyValue { values[row * slots.count + column] }

    mutating func set(_ value: PropertyValue, row: Int, column: Int) {
        values[row * slots.count + column] = value
    }

    /// The table with other IDs, also in the slots that are references.
    func renaming(_ renamed: [LocalID: LocalID], references: Set<Int>) -> SlotTable {
        var table = self
        table.ids = ids.map { renamed[$0] ?? $0 }
        for column in slots.indices where references.contains(slots[column]) {
            for row in ids.indices {
                guard case .integer(let id) = self[row, column], let new = renamed[id] else {
                    continue
                }
                table.values[row * slots.count + column] = .integer(new)
            }
        }
        return table
    }
}
