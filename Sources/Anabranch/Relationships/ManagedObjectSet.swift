import AnabranchModel
import AnabranchStore

/// The objects at the other end of a to-many relationship, as they are now.
///
/// A live view, not a copy: `parent.children.insert(child)` changes the relationship and its
/// inverse, and whoever holds the view sees it. Counting and asking for membership make no
/// objects; iterating reads the rows that are missing at once. What can't throw here keeps its
/// error for the context's next save and counts as empty; changes of an object that is deleted or
/// has lost its context are refused as setting its properties is.
public struct ManagedObjectSet<Element: ManagedObject> {
    let owner: ManagedObject
    let slot: Int

    private var ids: Set<LocalID> {
        attempt(or: []) { context, relationship in
            guard let index = owner.home.plan.relationIndex(of: relationship) else { return [] }
            return try context.members(of: owner, at: index)
        }
    }

    public var count: Int { ids.count }
    public var isEmpty: Bool { ids.isEmpty }

    public func contains(_ object: ManagedObject) -> Bool {
        object.managedObjectContext === owner.managedObjectContext && ids.contains(object.localID)
    }

    /// Ascending by record, which is the order in which one replica has made them; of an ordered
    /// relationship in its order.
    public var objects: [Element] {
        attempt(or: []) { context, relationship in
            let ids = try context.listedMembers(of: owner, by: relationship)
            return try context.objects(listed: ids, of: relationship.destination)
                .compactMap { $0 as? Element }
        }
    }

    public var objectIDs: [ManagedObjectID] {
        attempt(or: []) { context, relationship in
            try context.targetIDs(of: owner, by: relationship)
        }
    }

    /// Adds an object that is not there yet, at the end of an ordered relationship. Of a
    /// one-to-many it leaves its former owner.
    public func insert(_ object: Element) {
        change { try $0.insert(object, into: owner, $1) }
    }

    /// Removes an object if it is there.
    public func remove(_ object: Element) {
        change { try $0.remove(object, from: owner, $1) }
    }

    public func formUnion(_ objects: some Sequence<Element>) {
        for object in objects { insert(object) }
    }

    public func removeAll() {
        for object in objects { remove(object) }
    }

    /// Leaves exactly these objects in the relationship; to an ordered one new ones are added in
    /// their order.
    public func replace(with objects: some Sequence<Element>) {
        let all = Array(objects)
        let wanted = Set(all)
        for object in self.objects where !wanted.contains(object) { remove(object) }
        formUnion(all)
    }
}

@available(*, unavailable)
extension ManagedObjectSet: Sendable {}

extension ManagedObjectSet: Sequence {
    /// Over the members at this moment.
    public func makeIterator() -> IndexingIterator<[Element]> { objects.makeIterator() }
    public var underestimatedCount: Int { 0 }
}
