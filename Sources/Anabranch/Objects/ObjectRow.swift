import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// The values of a record on their way into an object: from the store, or from the object of the
/// parent context.
///
/// The code that passes a row on must keep what it refers to alive. Counting references for every
/// row of a fetch would cost as much as decoding a column.
enum ObjectRow {
    case stored(StoredRow)
    case lent(Unmanaged<RowCopy>)

    var id: LocalID {
        switch self {
        case .stored(let row): row.id
        case .lent(let row): row._withUnsafeGuaranteedRef { $0.id }
        }
    }

    var version: RowVersion {
        switch self {
        case .stored(let row): row.version
        case .lent(let row): row._withUnsafeGuaranteedRef { $0.version }
        }
    }

    /// The index of the entity in the model.
    var entityIndex: Int32 {
        switch self {
        case .stored(let row): row.entityIndex
        case .lent(let row): row._withUnsafeGuaranteedRef { $0.entityIndex }
        }
    }

    var slotCount: Int {
        switch self {
        case .stored(let row): Int(row.slotCount)
        case .lent(let row): row._withUnsafeGuaranteedRef { $0.slots.count }
        }
    }

    /// Initializes one value for every slot of the entity.
    @inline(__always)
    func read(into slots: UnsafeMutablePointer<PropertyValue>) {
        switch self {
        case .stored(let row): row.read(into: slots)
        case .lent(let row): row._withUnsafeGuaranteedRef { $0.read(into: slots) }
        }
    }
}

/// A copy of a row or of an object's values, for a child context.
final class RowCopy: Sendable {
    let id: LocalID
    let version: RowVersion
    let entityIndex: Int32
    /// The slot values in the form of a stored row: a slot that a row does not store has its
    /// default value.
    let slots: [PropertyValue]

    init(_ object: ManagedObject) {
        id = object.localID
        version = object.version
        entityIndex = Int32(truncatingIfNeeded: object.entity.index)
        let plan = object.home.plan
        slots = plan.isRead.indices.map { plan.isRead[$0] ? object.slots[$0] : plan.defaults[$0] }
    }

    init(_ row: ObjectRow) {
        id = row.id
        version = row.version
        entityIndex = row.entityIndex
        slots = Array(unsafeUninitializedCapacity: row.slotCount) { slots, count in
            guard let first = slots.baseAddress else { return }
            row.read(into: first)
            count = row.slotCount
        }
    }

    func read(into target: UnsafeMutablePointer<PropertyValue>) {
        for (slot, value) in slots.enumerated() { (target + slot).initialize(to: value) }
    }
}
