import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// Goes back along a dependency's path: from objects at its end to those at its beginning.
///
/// Each step is one SELECT, whatever the number of objects, and adds what a context has not saved
/// yet. The answer may hold more than is needed, never less: who was related before an unsaved
/// change is in it, too.
struct DependencyTrace {
    let context: ManagedObjectContext
    let dependency: RelationshipDependency

    /// - Parameter ids: Of objects that are there, or that `canTraceDeleted` holds for.
    /// - Returns: Of objects of the fetched entity, or of others above it.
    func beginnings(of ids: Set<LocalID>) throws -> Set<LocalID> {
        var ids = ids
        for step in dependency.steps.reversed() where !ids.isEmpty {
            guard let inverse = step.inverse else { return [] }
            ids =
                step.storage == .inverseReference
                ? try targets(of: ids, by: inverse) : try members(of: ids, by: inverse)
        }
        return ids
    }

    /// The inverse is not stored with these objects: whoever relates to them is.
    private func members(
        of ids: Set<LocalID>, by inverse: RelationshipDescription
    ) throws -> Set<LocalID> {
        var found = Set(
            try context.readRelated(by: inverse, of: ids.sorted()).values.joined())
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

    /// The inverse is a reference that these objects have.
    private func targets(
        of ids: Set<LocalID>, by inverse: RelationshipDescription
    ) throws -> Set<LocalID> {
        var found: Set<LocalID> = []
        func add(_ value: Value) { if case .integer(let id) = value { found.insert(id) } }
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
    /// Whether it can be told who depended on a record that is gone: the references to it stay
    /// where they are.
    var canTraceDeleted: Bool {
        guard let last = steps.last else { return false }
        return last.storage == .reference && canTrace
    }

    /// Whether an object leads elsewhere by an edit than where the store has it: whoever others
    /// have given it to under the edit has not changed here.
    private func hasLeft(_ object: ManagedObject) -> Bool {
        guard let last = steps.last, last.storage == .inverseReference, let inverse = last.inverse
        else { return false }
        return object.isWritten(inverse.slot)
    }

    /// Whether there is a way back at all.
    var canTrace: Bool { steps.allSatisfy { $0.inverse != nil } }

    /// Whether an object differs, in what is looked at, from what is stored, or from what it was
    /// before an event: an undo may lead back to what is stored.
    ///
    /// What was added to a relationship and taken out again leaves no trace, so that a changed
    /// object is always concerned where one is looked at that it does not store itself.
    ///
    /// - Parameter earlier: Its values before the event, where one is asked about and they were
    ///   noted.
    func isConcerned(by object: ManagedObject, since earlier: [Value]? = nil) -> Bool {
        if object.flags.contains(.deleted) || hasLeft(object) { return true }
        return slots.slots.contains { slot in
            guard slot < object.home.plan.isStored.count else { return false }
            if !object.home.plan.isStored[slot] || object.isWritten(slot) { return true }
            guard let earlier, object.flags.contains(.hasRow) else { return false }
            return earlier[slot] != object.slots[slot]
        }
    }
}
