package import AnabranchModel
package import AnabranchReplication
import AnabranchSQLite

/// The row that a statement stands on, read where SQLite has it: for the body only that it is
/// handed to.
package struct StoredRow {
    // The statement and the decoders outlive the body, and counting references to them for every
    // row would cost as much as decoding a column.
    private unowned(unsafe) let statement: Statement
    private unowned(unsafe) let decoder: RowDecoder
    package let id: LocalID
    package let version: RowVersion

    init(_ statement: Statement, decoder: RowDecoder, id: LocalID, version: RowVersion) {
        self.statement = statement
        self.decoder = decoder
        self.id = id
        self.version = version
    }

    package var entity: EntityDescription { decoder.entity }

    /// How many slots objects of the entity have.
    package var slotCount: Int { decoder.slotCount }

    /// Initializes one value for every slot of the entity.
    ///
    /// Stored attributes and stored to-one relationships are filled, the latter with the target's
    /// local ID, or null where the target is gone; all other slots are null.
    package func read(into slots: UnsafeMutablePointer<Value>) {
        decoder.read(statement, into: slots)
    }

    /// As ``read(into:)`` gives them.
    package var slots: [Value] {
        [Value](unsafeUninitializedCapacity: slotCount) { buffer, count in
            if let start = buffer.baseAddress { read(into: start) }
            count = slotCount
        }
    }
}

/// How one entity's row fills its slots.
final class RowDecoder {
    let entity: EntityDescription
    let slotCount: Int
    /// By slot, ascending.
    private let columns: [(slot: Int, column: Int, kind: ColumnKind)]

    init(
        _ entity: EntityDescription, columns: [(slot: Int, column: Int, kind: ColumnKind)]
    ) {
        self.entity = entity
        self.columns = columns.sorted { $0.slot < $1.slot }
        slotCount = entity.slots.count
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
    }
}
