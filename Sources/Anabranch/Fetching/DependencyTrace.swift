import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// Follows a dependency's path backwards, from objects at its end to objects at its beginning.
///
/// Each step is one SELECT, whatever the number of objects, plus the unsaved changes of a context.
/// The result can contain too many objects, but never too few: it includes the objects that were
/// related before an unsaved change.
struct DependencyTrace {
    let context: ManagedObjectContext
    let dependency: RelationshipDependency

    /// Returns the objects from which the path leads to some objects.
    ///
    /// - Parameter ids: Existing objects, or deleted ones if `canTraceDeleted` is true.
    /// - Returns: IDs of objects of the fetched entity or of its super-entities.
    func beginnings(of ids: Set<LocalID>) throws -> Set<LocalID> {
        var ids = ids
        for step in dependency.steps.reversed() where !ids.isEmpty {
            guard let inverse = step.inverse else { return [] }
            let ends = ids
            ids = step.storage == .inverseReference ? [] : try members(of: ends, by: inverse)
            if inverse.storage == .reference {
                ids.formUnion(try targets(of: ends, by: inverse))
            }
        }
        return ids
    }

    /// Follows an inverse relationship that is not stored in the rows of these objects.
    private func members(
        of ids: Set<LocalID>, by inverse: RelationshipDescription
    ) throws -> Set<LocalID> {
        var found = Set(
            try context.readRelated(by: inverse, of: ids.sorted()).members.values.joined())
        for id in ids {
            guard let object = context.held(id), let table = object.relations,
                object.entity.isKind(of: inverse.entity),
                let index = object.home.plan.relationIndex(of: inverse)
            else { continue }
            let state = table.states[index]
            found.formUnion(state.members ?? [])
            found.formUnion(state.added)
            found.formUnion(state.removed)
        }
        return found
    }

    /// Follows an inverse relationship that these objects store as a reference.
    private func targets(
        of ids: Set<LocalID>, by inverse: RelationshipDescription
    ) throws -> Set<LocalID> {
        var found: Set<LocalID> = []
        func add(_ value: PropertyValue) { if case .integer(let id) = value { found.insert(id) } }
        var unknown: [LocalID] = []
        for id in ids {
            guard let object = context.held(id), object.flags.contains(.hasRow) else {
                unknown.append(id)
                continue
            }
            add(object.slots[inverse.slot])
            if !object.committed.isEmpty { add(object.committed[inverse.slot]) }
        }
        guard !unknown.isEmpty else { return found }
        try context.readRows(of: inverse.entity, ids: unknown.sorted()) { row in
            add(SlotStorage(row)[inverse.slot])
        }
        return found
    }
}

extension RelationshipDependency {
    /// True if the objects that depended on a deleted record can be found: their references to it
    /// are still stored.
    var canTraceDeleted: Bool {
        guard let last = steps.last else { return false }
        return last.storage == .reference && canTrace
    }

    /// Returns true if an unsaved change of this object has changed the reference at the end of
    /// the path. In the store, another owner can have the object, and that owner has no change in
    /// this context.
    private func hasLeft(_ object: ManagedObject) -> Bool {
        guard let last = steps.last, last.storage == .inverseReference, let inverse = last.inverse
        else { return false }
        return object.isWritten(inverse.slot)
    }

    /// True if every step has an inverse relationship, so that the path can be followed backwards.
    var canTrace: Bool { steps.allSatisfy { $0.inverse != nil } }

    /// Returns true if an object's properties at the end of the path differ from the stored ones,
    /// or from those before an event. An undo can restore the stored values, and so both
    /// comparisons are necessary.
    ///
    /// A member that was added to a relationship and removed again leaves no trace. A changed
    /// object therefore always counts if the path uses a relationship that the object does not
    /// store itself.
    ///
    /// - Parameter earlier: The object's values before the event, if they are known.
    func isConcerned(by object: ManagedObject, since earlier: [PropertyValue]? = nil) -> Bool {
        if object.flags.contains(.deleted) || hasLeft(object) { return true }
        return slots.slots.contains { slot in
            guard slot < object.home.plan.isStored.count else { return false }
            if !object.home.plan.isStored[slot] || object.isWritten(slot) { return true }
            guard let earlier, object.flags.contains(.hasRow) else { return false }
            return earlier[slot] != object.slots[slot]
        }
    }
}
