import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// The values of a record on their way into an object: from the store, or from the object that the
/// context above has.
enum ObjectRow {
    case stored(StoredRow)
    case lent(LentRow)

    var id: LocalID {
        switch self {
        case .stored(let row): row.id
        case .lent(let row): row.id
        }
    }

    var version: RowVersion {
        switch self {
        case .stored(let row): row.version
        case .lent(let row): row.version
        }
    }

    /// In the model.
    var entityIndex: Int32 {
        switch self {
        case .stored(let row): row.entityIndex
        case .lent(let row): row.entityIndex
        }
    }

    var slotCount: Int {
        switch self {
        case .stored(let row): Int(row.slotCount)
        case .lent(let row): row.slots.count
        }
    }

    /// Initializes one value for every slot of the entity.
    @inline(__always)
    func read(into slots: UnsafeMutablePointer<Value>) {
        switch self {
        case .stored(let row): row.read(into: slots)
        case .lent(let row):
            for (slot, value) in row.slots.enumerated() { (slots + slot).initialize(to: value) }
        }
    }
}

/// A copy of what an object has, for a context below the object's own.
struct LentRow: Sendable {
    let id: LocalID
    let version: RowVersion
    let entityIndex: Int32
    /// As a row of the store has them: what no row has is null.
    let slots: [Value]

    init(_ object: ManagedObject) {
        id = object.localID
        version = object.version
        entityIndex = Int32(truncatingIfNeeded: object.entity.index)
        slots = zip(object.home.plan.isRead, object.slots.buffer).map { $0 ? $1 : .null }
    }
}
