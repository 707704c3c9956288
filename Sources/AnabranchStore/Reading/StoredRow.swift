package import AnabranchModel
package import AnabranchReplication
import AnabranchSQLite

/// The row that a statement stands on, read where SQLite has it: for the body only that it is
/// handed to.
package struct StoredRow {
    // Whoever hands out the row holds both; counting references to them for every row would cost
    // as much as decoding a column.
    private let statement: Unmanaged<Statement>
    private let decoder: Unmanaged<RowDecoder>
    package let id: LocalID
    package let version: RowVersion
    /// The entity's, in the model.
    package let entityIndex: Int32
    /// How many slots objects of the entity have.
    package let slotCount: Int32

    /// The row that the statement stands on, its first columns the ID and the version.
    init(_ statement: Statement, decoder: Unmanaged<RowDecoder>) {
        self.statement = .passUnretained(statement)
        self.decoder = decoder
        (entityIndex, slotCount) = decoder._withUnsafeGuaranteedRef {
            (Int32(truncatingIfNeeded: $0.index), Int32(truncatingIfNeeded: $0.slotCount))
        }
        id = statement.int64(at: 0)
        version = RowVersion(statement.int64(at: 1))
    }

    package var entity: EntityDescription { decoder._withUnsafeGuaranteedRef { $0.entity } }

    /// Initializes one value for every slot of the entity.
    ///
    /// Stored attributes and stored to-one relationships are filled, the latter with the target's
    /// local ID, or null where the target is gone. Transient attributes have their defaults; all
    /// other slots are null.
    package func read(into slots: UnsafeMutablePointer<Value>) {
        statement._withUnsafeGuaranteedRef { statement in
            decoder._withUnsafeGuaranteedRef { $0.read(statement, into: slots) }
        }
    }

    /// As ``read(into:)`` gives them.
    package var slots: [Value] {
        [Value](unsafeUninitializedCapacity: Int(slotCount)) { buffer, count in
            if let start = buffer.baseAddress { read(into: start) }
            count = Int(slotCount)
        }
    }
}

/// How one entity's row fills its slots.
final class RowDecoder {
    let entity: EntityDescription
    let index: Int
    let slotCount: Int
    /// By slot, ascending.
    private let columns: [(slot: Int, column: Int, kind: ColumnKind)]
    /// Of transient attributes, which no row has; only those that are not null.
    private let defaults: [(slot: Int, value: Value)]

    init(
        _ entity: EntityDescription, columns: [(slot: Int, column: Int, kind: ColumnKind)]
    ) {
        self.entity = entity
        index = entity.index
        self.columns = columns.sorted { $0.slot < $1.slot }
        slotCount = entity.slots.count
        defaults = entity.slots.compactMap { property in
            guard let attribute = property.attribute, attribute.isTransient,
                !attribute.defaultValue.isNull
            else { return nil }
            return (attribute.slot, attribute.defaultValue)
        }
    }

    func read(_ statement: Statement, into slots: UnsafeMutablePointer<Value>) {
        var next = 0
        for index in columns.indices {
            let (slot, column, kind) = columns[index]
            while next < slot {
                (slots + next).initialize(to: .null)
                next += 1
            }
            (slots + next).initialize(to: statement.unsafeColumn(at: column).slot(as: kind))
            next += 1
        }
        while next < slotCount {
            (slots + next).initialize(to: .null)
            next += 1
        }
        for (slot, value) in defaults { slots[slot] = value }
    }
}
