package import AnabranchModel
package import AnabranchReplication
import AnabranchSQLite

/// A row of a table, decoded directly from SQLite's memory. It is valid only within the body that
/// receives it.
package struct StoredRow {
    private let columns: UnsafeRow
    // The caller that provides the row keeps it alive. Reference counting for every row would cost
    // as much as decoding a column.
    private let decoder: Unmanaged<RowDecoder>
    package let id: LocalID
    package let version: RowVersion
    /// The index of the entity in the model.
    package let entityIndex: Int32
    /// The number of slots of the entity's objects.
    package let slotCount: Int32

    /// Creates a row; its first columns are the ID and the version.
    init(_ columns: UnsafeRow, decoder: Unmanaged<RowDecoder>) {
        self.columns = columns
        self.decoder = decoder
        (entityIndex, slotCount) = decoder._withUnsafeGuaranteedRef {
            (Int32(truncatingIfNeeded: $0.index), Int32(truncatingIfNeeded: $0.slotCount))
        }
        id = columns[0].int64
        version = RowVersion(columns[1].int64)
    }

    package var entity: EntityDescription { decoder._withUnsafeGuaranteedRef { $0.entity } }

    /// Initializes one value for every slot of the entity.
    ///
    /// Stored attributes and stored to-one relationships are filled in. A to-one gets its target's
    /// local ID, or null if the target is deleted. Transient attributes get their defaults; all
    /// other slots are null.
    package func read(into slots: UnsafeMutablePointer<PropertyValue>) {
        decoder._withUnsafeGuaranteedRef { $0.read(columns, into: slots) }
    }

    package var slots: [PropertyValue] {
        [PropertyValue](unsafeUninitializedCapacity: Int(slotCount)) { buffer, count in
            if let start = buffer.baseAddress { read(into: start) }
            count = Int(slotCount)
        }
    }
}

/// Decodes the rows of one entity into slots.
final class RowDecoder: Sendable {
    let entity: EntityDescription
    let index: Int
    let slotCount: Int
    /// The columns in ascending order of their slots.
    private let columns: [(slot: Int, column: Int, kind: ColumnKind)]
    /// The non-null defaults of transient attributes, which have no columns.
    private let defaults: [(slot: Int, value: PropertyValue)]

    init(_ entity: EntityDescription, columns: [(slot: Int, column: Int, kind: ColumnKind)]) {
        self.entity = entity
        index = entity.index
        self.columns = columns.sorted { $0.slot < $1.slot }
        slotCount = entity.slots.count
        defaults = entity.slots.compactMap { property in
            guard let attribute = property.attribute, attribute.isTransient,
                !attribute.initialValue.isNull
            else { return nil }
            return (attribute.slot, attribute.initialValue)
        }
    }

    func read(_ row: UnsafeRow, into slots: UnsafeMutablePointer<PropertyValue>) {
        var next = 0
        for index in columns.indices {
            let (slot, column, kind) = columns[index]
            while next < slot {
                (slots + next).initialize(to: .null)
                next += 1
            }
            (slots + next).initialize(to: row[column].slot(as: kind))
            next += 1
        }
        while next < slotCount {
            (slots + next).initialize(to: .null)
            next += 1
        }
        for (slot, value) in defaults { slots[slot] = value }
    }
}
