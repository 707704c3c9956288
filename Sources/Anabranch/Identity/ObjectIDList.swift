import AnabranchModel
import AnabranchStore

/// Object IDs of one store, each once.
public struct ObjectIDList: Sendable {
    struct Item: Sendable {
        let id: LocalID
        let entityIndex: Int32
    }

    /// Of the first; `nil` where there is none.
    private var origin: StoreOrigin?
    /// Of each, where somebody has given IDs of several stores; else empty.
    private var origins: [StoreOrigin] = []
    private(set) var items: [Item]

    init(_ origin: StoreOrigin, _ items: [Item] = []) {
        self.origin = items.isEmpty ? nil : origin
        self.items = items
    }

    /// - Parameter objectIDs: Of one store; a list of several is refused by whoever takes it.
    public init(_ objectIDs: some Collection<ManagedObjectID>) {
        let first = objectIDs.first?.origin
        origin = first
        if let first, objectIDs.contains(where: { !$0.belongs(to: first) }) {
            origins = objectIDs.map(\.origin)
        }
        items = objectIDs.map {
            Item(id: $0.localID, entityIndex: Int32(truncatingIfNeeded: $0.entity.index))
        }
    }

    mutating func append(_ others: [Item], of origin: StoreOrigin) {
        guard !others.isEmpty else { return }
        assert(belongs(to: origin), "IDs of one store were added to those of another.")
        self.origin = origin
        items += others
    }

    /// Whether all are of one store.
    func belongs(to other: StoreOrigin) -> Bool {
        origin == nil || origin === other && origins.isEmpty
    }
}

extension ObjectIDList: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { origin == nil ? 0 : items.count }

    public subscript(position: Int) -> ManagedObjectID {
        guard let origin else { preconditionFailure("An empty list has no object at \(position).") }
        let item = items[position]
        return ManagedObjectID(
            origin: origins.isEmpty ? origin : origins[position],
            entityIndex: Int(item.entityIndex), localID: item.id)
    }
}

extension ObjectIDList: CustomStringConvertible {
    public var description: String { "\(Array(self))" }
}
