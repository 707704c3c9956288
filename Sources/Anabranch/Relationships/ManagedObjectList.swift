import AnabranchModel
import AnabranchStore

/// The objects at the other end of an ordered to-many relationship, as they are now, in their
/// order.
///
/// A live view, not a copy: `list.items.insert(item, at: 0)` changes the relationship and its
/// inverse, and whoever holds the view sees it. An object is in it once. What replicas do to one
/// list merges: what was put beside something stays beside it, runs that were put at one place do
/// not mix, and of two moves of one object the later stays.
///
/// What can't throw here keeps its error for the context's next save and counts as empty; changes
/// of an object that is deleted or has lost its context are refused as setting its properties is.
public struct ManagedObjectList<Element: ManagedObject> {
    let owner: ManagedObject
    let slot: Int

    private var ids: [LocalID] {
        attempt(or: []) { try $0.listedMembers(of: owner, by: $1) }
    }

    public var count: Int { ids.count }
    public var isEmpty: Bool { ids.isEmpty }

    public func contains(_ object: ManagedObject) -> Bool { firstIndex(of: object) != nil }

    public func firstIndex(of object: ManagedObject) -> Int? {
        guard object.managedObjectContext === owner.managedObjectContext else { return nil }
        return ids.firstIndex(of: object.localID)
    }

    private func member(at index: Int) -> Element {
        let ids = ids
        precondition(ids.indices.contains(index), "There is no object \(index) among \(ids.count).")
        let object: ManagedObject? = attempt(or: nil) { context, relationship in
            context.listed(ids[index], of: relationship.destination)
        }
        guard let element = object as? Element else {
            preconditionFailure("The object at \(index) of \(owner) is no \(Element.self).")
        }
        return element
    }

    public var objects: [Element] {
        attempt(or: []) { context, relationship in
            try context.objects(listed: ids, of: relationship.destination)
                .compactMap { $0 as? Element }
        }
    }

    public var objectIDs: [ManagedObjectID] {
        attempt(or: []) { context, relationship in
            try context.targetIDs(of: owner, by: relationship)
        }
    }

    /// The object at an index below ``count``. Setting it puts another in its place.
    ///
    /// One that somebody else has deleted keeps its place until that is merged, and turns out to be
    /// deleted when it is read; ``objects`` leaves it out. Of one whose row can't be read it is a
    /// fault, and the error is kept for the next save.
    public subscript(index: Int) -> Element {
        get { member(at: index) }
        nonmutating set { replace(at: index, with: newValue) }
    }

    /// Adds an object at the end; one that is there already moves. Of a one-to-many it leaves its
    /// former owner.
    public func append(_ object: Element) { insert(object, at: count) }

    public func append(contentsOf objects: some Sequence<Element>) {
        for object in objects { append(object) }
    }

    /// Puts an object at an index, 0 to ``count``; one that is there already moves.
    public func insert(_ object: Element, at index: Int) {
        if owner.managedObjectContext == nil { return owner.refuseChange(of: slot) }
        let count = count
        precondition((0...count).contains(index), "There is no place \(index) among \(count).")
        let present = firstIndex(of: object)
        let place = present.map { $0 < index ? index - 1 : index } ?? index
        guard present != place else { return }
        change { try $0.place(object, at: place, in: owner, $1) }
    }

    /// Moves the object at one index, so that its index is then the other.
    public func move(from index: Int, to place: Int) {
        guard index != place else { return }
        if owner.managedObjectContext == nil { return owner.refuseChange(of: slot) }
        precondition(place >= 0 && place < count, "There is no place \(place) in the list.")
        let object = member(at: index)
        change { try $0.place(object, at: place, in: owner, $1) }
    }

    /// Puts an object in the place of the one at an index, which is removed.
    public func replace(at index: Int, with object: Element) {
        let replaced = member(at: index)
        guard replaced !== object else { return }
        insert(object, at: index)
        remove(replaced)
    }

    /// Removes an object if it is there.
    public func remove(_ object: Element) {
        change { try $0.remove(object, from: owner, $1) }
    }

    @discardableResult
    public func remove(at index: Int) -> Element {
        let object = member(at: index)
        remove(object)
        return object
    }

    public func removeAll() {
        for object in objects { remove(object) }
    }

    /// Leaves exactly these objects in the list, in this order. Of those that stay as few move as
    /// can be, so that what others do to the rest keeps its place.
    ///
    /// - Parameter objects: Of one that comes twice the first place counts.
    public func replace(with objects: some Sequence<Element>) {
        let wanted = Array(objects)
        change { try $0.arrange(wanted, in: owner, $1) }
    }
}

@available(*, unavailable)
extension ManagedObjectList: Sendable {}

extension ManagedObjectContext {
    /// The object of a record that is in a list, a fault where nothing more is known of it.
    fileprivate func listed(_ id: LocalID, of destination: EntityDescription) -> ManagedObject {
        do {
            if let object = try object(id, of: destination) { return object }
        } catch {
            keep(error)
        }
        return held(id, of: destination) ?? makeFault(id, destination)
    }
}

extension ManagedObjectList: Sequence {
    /// Over the objects at this moment.
    public func makeIterator() -> IndexingIterator<[Element]> { objects.makeIterator() }
    public var underestimatedCount: Int { 0 }
}
