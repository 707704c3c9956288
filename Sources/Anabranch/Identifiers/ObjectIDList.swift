import AnabranchModel
import AnabranchStore

/// A list of object IDs of one store, each once.
public struct ObjectIDList: Sendable {
    struct Item: Sendable {
        let id: LocalID
        let entityIndex: Int32
    }

    /// The store of the first ID; `nil` if the list is empty.
    private var origin: StoreOrigin?
    /// The store of each ID if they belong to several stores; otherwise empty.
    private var origins: [StoreOrigin] = []
    private(set) var items: [Item]

    init(_ origin: StoreOrigin, _ items: [Item] = []) {
        self.origin = items.isEmpty ? nil : origin
        self.items = items
    }

    /// Creates a list from object IDs.
    ///
    /// - Parameter objectIDs: IDs of one store. A method that takes the list refuses IDs of
    ///   several stores.
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

    /// Returns true if every ID belongs to the store with this origin.
    func belongs(to other: StoreOrigin) -> Bool {
        origin == nil || origin === other && origins.isEmpty
    }
}

extension ObjectIDList: RandomAccessCollection {
    /// Zero.
    public var startIndex: Int { 0 }
    /// The number of IDs.
    public var endIndex: Int { origin == nil ? 0 : items.count }

    /// The ID at a position.
    public subscript(position: Int) -> ManagedObjectID {
        guard let origin else { preconditionFailure("An empty list has no object at \(position).") }
        let item = items[position]
        return ManagedObjectID(
            origin: origins.isEmpty ? origin : origins[position],
            entityIndex: Int(item.entityIndex), localID: item.id)
    }
}

extension ObjectIDList: CustomStringConvertible {
    /// The IDs as text.
    public var description: String { "\(Array(self))" }
}
