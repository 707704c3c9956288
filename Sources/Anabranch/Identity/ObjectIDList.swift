import AnabranchModel
import AnabranchStore

/// Object IDs of one store, each once.
public struct ObjectIDList: Sendable {
    struct Item: Sendable {
        let id: LocalID
        let entityIndex: Int32
    }

    private var origin: StoreOrigin?
    private(set) var items: [Item]

    init(_ origin: StoreOrigin, _ items: [Item] = []) {
        self.origin = items.isEmpty ? nil : origin
        self.items = items
    }

    /// - Parameter objectIDs: Of one store.
    public init(_ objectIDs: some Collection<ManagedObjectID>) {
        origin = objectIDs.first?.origin
        items = objectIDs.map {
            Item(id: $0.localID, entityIndex: Int32(truncatingIfNeeded: $0.entity.index))
        }
    }

    mutating func append(_ others: [Item], of origin: StoreOrigin) {
        guard !others.isEmpty else { return }
        self.origin = origin
        items += others
    }

    func belongs(to other: StoreOrigin) -> Bool { origin == nil || origin === other }
}

extension ObjectIDList: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { origin == nil ? 0 : items.count }

    public subscript(position: Int) -> ManagedObjectID {
        guard let origin else { preconditionFailure("An empty list has no object at \(position).") }
        let item = items[position]
        return ManagedObjectID(
            origin: origin, entityIndex: Int(item.entityIndex), localID: item.id)
    }
}

extension ObjectIDList: CustomStringConvertible {
    public var description: String { "\(Array(self))" }
}
