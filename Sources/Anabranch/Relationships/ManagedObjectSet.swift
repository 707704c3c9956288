import AnabranchModel
import AnabranchStore

/// The objects at the other end of a to-many relationship.
///
/// It is a live view, not a copy: `parent.children.insert(child)` changes the relationship and its
/// inverse, and every view of the relationship shows the change. Counting and testing for
/// membership create no objects; iterating reads all missing rows in one read.
///
/// An error in a member that can't throw is kept for the context's next save, and the set counts
/// as empty. A change of an object that is deleted or has lost its context is refused in the same
/// way as setting its properties.
public struct ManagedObjectSet<Element: ManagedObject> {
    @usableFromInline let owner: ManagedObject
    @usableFromInline let slot: Int

    private var ids: Set<LocalID> {
        attempt(or: []) { context, relationship in
            guard let index = owner.home.plan.relationIndex(of: relationship) else { return [] }
            return try context.members(of: owner, at: index)
        }
    }

    /// The number of objects.
    public var count: Int { owner.home.probe?.count(of: owner, slot) ?? ids.count }
    /// True if the relationship has no objects.
    public var isEmpty: Bool { ids.isEmpty }

    /// Returns true if an object is in the relationship.
    public func contains(_ object: ManagedObject) -> Bool {
        object.managedObjectContext === owner.managedObjectContext && ids.contains(object.localID)
    }

    /// The objects as an array, in ascending order of their records, which is the order in which
    /// one replica inserted them. The objects of an ordered relationship come in its order.
    @inlinable
    public var objects: [Element] {
        // Arrays of objects have the same layout. Converting the objects one by one would cost a
        // tenth of the reading.
        unsafeBitCast(owner.relatedObjects(at: slot, as: Element.self), to: [Element].self)
    }

    /// The IDs of the objects, in the order of ``objects``.
    public var objectIDs: [ManagedObjectID] {
        attempt(or: []) { context, relationship in
            try context.targetIDs(of: owner, by: relationship)
        }
    }

    /// Adds an object if it is not there, at the end of an ordered relationship. In a one-to-many
    /// relationship, the object leaves its former owner.
    public func insert(_ object: Element) {
        change { try $0.insert(object, into: owner, $1) }
    }

    /// Removes an object from the relationship if it is there.
    public func remove(_ object: Element) {
        change { try $0.remove(object, from: owner, $1) }
    }

    /// Adds several objects.
    public func formUnion(_ objects: some Sequence<Element>) {
        for object in objects { insert(object) }
    }

    /// Removes all objects from the relationship.
    public func removeAll() {
        if owner.managedObjectContext == nil { return owner.refuseChange(of: slot) }
        for object in objects { remove(object) }
    }

    /// Replaces the content by some objects. In an ordered relationship, new objects are added at
    /// the end in their order.
    public func replace(with objects: some Sequence<Element>) {
        if owner.managedObjectContext == nil { return owner.refuseChange(of: slot) }
        let all = Array(objects)
        let wanted = Set(all)
        for object in self.objects where !wanted.contains(object) { remove(object) }
        formUnion(all)
    }
}

@available(*, unavailable)
extension ManagedObjectSet: Sendable {}

extension ManagedObjectSet: Sequence {
    /// Returns an iterator over the members at this moment.
    @inlinable
    public func makeIterator() -> IndexingIterator<[Element]> { objects.makeIterator() }
    /// Zero, because the number of objects would have to be read.
    public var underestimatedCount: Int { 0 }
}
