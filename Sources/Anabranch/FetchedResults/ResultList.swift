import AnabranchReplication
import AnabranchStore

/// The records of a result in order, with what is known about them.
enum ResultList {
    /// The entries of a result that can be kept up to date.
    case tracked(ResultsState)
    /// Only the IDs.
    case identifiers(IdentifierList)

    var count: Int {
        switch self {
        case .tracked(let state): state.count
        case .identifiers(let list): list.count
        }
    }

    /// The entry of a tracked result.
    func entry(at index: Int) -> ResultEntry? {
        if case .tracked(let state) = self { state.entry(at: index) } else { nil }
    }

    func record(at index: Int) -> (id: LocalID, entityIndex: Int) {
        switch self {
        case .tracked(let state):
            let entry = state.entry(at: index)
            return (entry.id, entry.entityIndex)
        case .identifiers(let list): return list[index]
        }
    }

    func objectID(at index: Int, _ origin: StoreOrigin) -> ManagedObjectID {
        if let entry = entry(at: index) { return entry.objectID(origin) }
        let (id, entityIndex) = record(at: index)
        return ManagedObjectID(origin: origin, entityIndex: entityIndex, localID: id)
    }

    /// The entries of a tracked result from an index on.
    func entries(from index: Int) -> BlockSequence<ResultEntry>.Iterator? {
        guard case .tracked(let state) = self else { return nil }
        return state.entries.makeIterator(from: state.window.lowerBound + index)
    }
}

/// The IDs of many objects: eight bytes each, and two more if their entities can differ.
struct IdentifierList {
    private var ids: [LocalID] = []
    /// The entity of each object; if there is no choice, only that of the first.
    private var entityIndexes: [UInt16] = []
    private let hasSubentities: Bool

    init(hasSubentities: Bool) { self.hasSubentities = hasSubentities }

    var count: Int { ids.count }

    subscript(index: Int) -> (id: LocalID, entityIndex: Int) {
        (ids[index], Int(entityIndexes[hasSubentities ? index : 0]))
    }

    mutating func append(_ id: LocalID, entityIndex: Int) {
        ids.append(id)
        if hasSubentities || entityIndexes.isEmpty { entityIndexes.append(UInt16(entityIndex)) }
    }
}
