import AnabranchModel
import AnabranchReplication
import AnabranchStore

// Who mentions a record that is gone: objects with a reference to it in their row, and objects
// that have loaded a relationship in which it is.
//
// Among few objects all are looked at. Among many the store says who refers to the record, which
// it does by an index and also when the record is gone, and the objects that have loaded a
// relationship are listed. What this leaves out are references that the store does not have any
// more, because somebody else has changed them and the context has not merged that yet: these read
// nil from then on, and are taken out once so many records are gone that looking at all objects
// costs each of them no more than looking at a few. A context with a parent, which can't ask the
// store, looks at all.

/// Up to how many objects a context looks at all of them for those that mention a record.
struct SearchLimits {
    /// All are looked at where there are no more than these,
    var always = 1024
    /// or no more than these for each record that is gone.
    var each = 64

    func includeAll(_ count: Int, for gone: Int) -> Bool {
        count <= always || count <= gone * each
    }
}

extension ManagedObjectContext {
    /// Takes records that are gone out of the objects that mention them.
    ///
    /// - Parameters:
    ///   - gone: By their own entities.
    ///   - all: Also others that are to be taken out where they are met.
    /// - Returns: The objects that have mentioned one, each once.
    func clearMentions(
        of gone: [EntityDescription: [LocalID]], and all: Set<LocalID> = []
    ) -> [ManagedObject] {
        let count = gone.values.reduce(0) { $0 + $1.count }
        let ids = all.union(gone.values.joined())
        guard parent == nil, !searchLimits.includeAll(registry.count, for: count),
            !gone.keys.contains(where: coordinator.plans.isBlindTarget)
        else {
            let cleared = clearAll(ids)
            incompletelyCleared.subtract(ids)
            return cleared
        }
        // Where the store can't be read, looking at all does as well.
        guard let objects = try? gone.flatMap({ try objectsMentioning($1, of: $0) }) else {
            return clearAll(ids)
        }
        incompletelyCleared.formUnion(ids)
        return objects.filter { clear($0, ids) }
    }

    private func clearAll(_ ids: Set<LocalID>) -> [ManagedObject] {
        releaseUnused()
        return registry.values.filter { clear($0, ids) }
    }

    private func clear(_ object: ManagedObject, _ ids: Set<LocalID>) -> Bool {
        recorder?.recordsMentions == true
            ? takeOut(ids, of: object) : clearReferences(of: object, to: ids)
    }

    /// The deletions are saved, or somebody else's: what still mentions the records reads nil.
    func recordGone(_ ids: Set<LocalID>) {
        guard !incompletelyCleared.isEmpty else { return }
        goneIDs.formUnion(incompletelyCleared.intersection(ids))
        incompletelyCleared.subtract(ids)
        guard goneIDs.count * searchLimits.each >= registry.count else { return }
        recordWithoutTargets(clearAll(goneIDs))
        goneIDs = []
    }

    /// Somebody whom objects mentioned is gone.
    func recordWithoutTargets(_ objects: [ManagedObject]) {
        event.refreshed += objects
        if !followers.isEmpty { event.bereft.formUnion(objects) }
    }

    private func objectsMentioning(
        _ ids: [LocalID], of entity: EntityDescription
    ) throws -> [ManagedObject] {
        try entity.relationships.flatMap { relationship -> [ManagedObject] in
            guard let inverse = relationship.inverse else { return [] }
            if relationship.storage == .inverseReference {
                return try holders(of: ids, by: relationship).compactMap(held)
            }
            if relationship.isMutual {
                let stored = try readRelated(by: relationship, of: ids.sorted()).members.values
                    .joined()
                let known = ids.flatMap { knownEnds(of: [$0], by: relationship) ?? [] }
                return (stored + known).compactMap(held)
            }
            let ends = knownEnds(of: ids, by: relationship)
            return ends?.compactMap(held) ?? objectsRelated(by: inverse).map(\.object)
        }
    }

    /// Those whose rows refer to one of these records, saved or not.
    private func holders(
        of ids: [LocalID], by relationship: RelationshipDescription
    ) throws -> [LocalID] {
        let stored = try readRelated(by: relationship, of: ids.sorted()).members.values.joined()
        // Whoever was given such a reference here has changed both ends.
        let added = ids.lazy.compactMap { self.registry[$0] }.flatMap { object in
            object.home.plan.relationIndex(of: relationship).flatMap {
                object.relations?.states[$0].added
            } ?? []
        }
        return Array(stored) + Array(added)
    }

    /// Who is at the other end of a relationship, whose inverse is not in rows.
    ///
    /// - Returns: `nil` where one of the records does not tell.
    private func knownEnds(
        of ids: [LocalID], by relationship: RelationshipDescription
    ) -> [LocalID]? {
        var ends: [LocalID] = []
        for id in ids {
            guard let object = held(id), object.flags.contains(.hasRow) else { return nil }
            if let index = object.home.plan.relationIndex(of: relationship) {
                guard let state = object.relations?.states[index], let members = state.members
                else { return nil }
                ends += members.union(state.removed)
            } else {
                let slot = relationship.slot
                for value in [object.slots[slot], object.committedValue(slot)] {
                    if case .integer(let id) = value { ends.append(id) }
                }
            }
        }
        return ends
    }
}
