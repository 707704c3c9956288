import AnabranchModel
import AnabranchStore

/// The objects at the other end of an ordered to-many relationship, in their order.
///
/// It is a live view, not a copy: `list.items.insert(item, at: 0)` changes the relationship and
/// its inverse, and every view of the relationship shows the change. An object is in the list
/// once.
///
/// Concurrent changes of several replicas merge. An object that was put next to another one stays
/// next to it. Runs of objects that were put at the same place do not interleave. Of two moves of
/// one object the later wins.
///
/// No member can throw. An error is kept in the context's ``ManagedObjectContext/pendingErrors``,
/// which the next save throws. A list that can't be read is shown as empty, and changing it does
/// nothing. A change of an object that is deleted or has lost its context is refused in the same
/// way as setting its properties.
public struct ManagedObjectList<Element: ManagedObject> {
    @usableFromInline let owner: ManagedObject
    @usableFromInline let slot: Int

    private var ids: [LocalID] { readIDs() ?? [] }

    /// Reads the list.
    ///
    /// - Returns: `nil` if it can't be read; the error is kept.
    private func readIDs() -> [LocalID]? {
        attempt(or: nil) { try $0.listedMembers(of: owner, by: $1) }
    }

    /// The number of objects.
    public var count: Int { owner.home.probe?.count(of: owner, slot) ?? ids.count }
    /// True if the list has no objects.
    public var isEmpty: Bool { ids.isEmpty }

    /// Returns true if an object is in the list.
    public func contains(_ object: ManagedObject) -> Bool {
        guard object.managedObjectContext === owner.managedObjectContext else { return false }
        return attempt(or: false) { try $0.isListed(object, in: owner, $1) }
    }

    /// Returns the index of an object; `nil` if it is not in the list.
    public func firstIndex(of object: ManagedObject) -> Int? {
        contains(object) ? ids.firstIndex(of: object.localID) : nil
    }

    /// - Returns: `nil` if the list can't be read; the error is kept.
    private func member(at index: Int) -> Element? {
        guard let ids = readIDs() else { return nil }
        precondition(ids.indices.contains(index), "There is no object \(index) among \(ids.count).")
        let object: ManagedObject? = attempt(or: nil) { context, relationship in
            context.listed(ids[index], of: relationship.destination)
        }
        guard let object else { return nil }
        guard let element = object as? Element else {
            preconditionFailure("The object at \(index) of \(owner) is no \(Element.self).")
        }
        return element
    }

    /// A deleted object without values, for a caller that needs an object though the list can't be
    /// read. No context registers it, and setting its properties is refused.
    private func unreadableMember() -> Element {
        owner.detachedObject(
            of: relationship?.destination ?? owner.entity, as: Element.self)
    }

    /// The objects in their order, as an array. Objects that were deleted in the store are left
    /// out.
    @inlinable
    public var objects: [Element] {
        // Arrays of objects have the same layout. Converting the objects one by one would cost a
        // tenth of the reading.
        unsafeBitCast(owner.relatedObjects(at: slot, as: Element.self), to: [Element].self)
    }

    /// The IDs of the objects in their order.
    public var objectIDs: [ManagedObjectID] {
        attempt(or: []) { context, relationship in
            try context.targetIDs(of: owner, by: relationship)
        }
    }

    /// The object at an index, which must be less than ``count``. Setting it replaces the object.
    ///
    /// An object that was deleted in the store keeps its place until the deletion is merged, and
    /// turns out to be deleted when it is read; ``objects`` leaves it out. If a row can't be read,
    /// the object is a fault, and the error is kept for the next save. If the list itself can't be
    /// read, getting returns a deleted object without values, and setting does nothing.
    public subscript(index: Int) -> Element {
        get { member(at: index) ?? unreadableMember() }
        nonmutating set { replace(at: index, with: newValue) }
    }

    /// Adds an object at the end. An object that is already in the list moves there. In a
    /// one-to-many relationship, the object leaves its former owner.
    public func append(_ object: Element) { append(contentsOf: CollectionOfOne(object)) }

    /// Adds objects at the end, in their order. Objects that are already in the list move there,
    /// and of equal objects the last one counts.
    public func append(contentsOf objects: some Sequence<Element>) {
        let added = Array(objects)
        change { try $0.append(added, to: owner, $1) }
    }

    /// Inserts an object at an index from 0 to ``count``. An object that is already in the list
    /// moves there.
    public func insert(_ object: Element, at index: Int) {
        if owner.managedObjectContext == nil { return owner.refuseChange(of: slot) }
        guard let ids = readIDs() else { return }
        precondition(
            (0...ids.count).contains(index), "There is no place \(index) among \(ids.count).")
        let present = firstIndex(of: object)
        let place = present.map { $0 < index ? index - 1 : index } ?? index
        guard present != place else { return }
        change { try $0.place(object, at: place, in: owner, $1) }
    }

    /// Moves the object at one index to another index.
    public func move(from index: Int, to place: Int) {
        guard index != place else { return }
        if owner.managedObjectContext == nil { return owner.refuseChange(of: slot) }
        guard let ids = readIDs() else { return }
        precondition(ids.indices.contains(place), "There is no place \(place) in the list.")
        guard let object = member(at: index) else { return }
        change { try $0.place(object, at: place, in: owner, $1) }
    }

    /// Replaces the object at an index, which is removed from the list.
    public func replace(at index: Int, with object: Element) {
        if owner.managedObjectContext == nil { return owner.refuseChange(of: slot) }
        guard let replaced = member(at: index), replaced !== object else { return }
        insert(object, at: index)
        remove(replaced)
    }

    /// Removes an object from the list if it is there.
    public func remove(_ object: Element) {
        change { try $0.remove(object, from: owner, $1) }
    }

    /// Removes the object at an index.
    ///
    /// - Returns: The removed object; if the list can't be read, a deleted object without values.
    @discardableResult
    public func remove(at index: Int) -> Element {
        if owner.managedObjectContext == nil { owner.refuseChange(of: slot) }
        guard let object = member(at: index) else { return unreadableMember() }
        remove(object)
        return object
    }

    /// Removes all objects from the list.
    public func removeAll() { replace(with: []) }

    /// Replaces the content by some objects, in their order. As few of the remaining objects as
    /// possible are moved, so that concurrent changes of the others keep their places.
    ///
    /// - Parameter objects: The objects; for one that occurs twice the first place counts.
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

extension ManagedObject {
    /// An object that counts as deleted and has no values. No context registers it.
    fileprivate func detachedObject<Element: ManagedObject>(
        of entity: EntityDescription, as type: Element.Type
    ) -> Element {
        let detached = EntityHome(beside: home, EntityPlan(entity, type: type))
        let object = type.init(
            ObjectInitialization(home: detached, id: 0, flags: [.isFired, .deleted, .detached]))
        object.fillSlots()
        return object
    }
}

extension ManagedObjectList: Sequence {
    /// Returns an iterator over the objects at this moment.
    @inlinable
    public func makeIterator() -> IndexingIterator<[Element]> { objects.makeIterator() }
    /// Zero, because the number of objects would have to be read.
    public var underestimatedCount: Int { 0 }
}
