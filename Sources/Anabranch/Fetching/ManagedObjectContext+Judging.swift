import AnabranchModel
import AnabranchReplication
import AnabranchStore

// Whom a fetch judges by what the context has, rather than by what the store finds: objects with
// unsaved changes, and those of whom a relationship that the request looks at reads otherwise than
// the store has it. They are found by going back along the request's relationships from what is
// deleted or led elsewhere, so that deleting an object need not look for them, and a request that
// looks at no relationship does not either.
extension ManagedObjectContext {
    /// - Parameter isRefreshing: Whether objects without changes take over what the store has now.
    /// - Returns: `nil` where the store's answer is right as it is.
    /// - Throws: ``StoreError``; ``PropertyError`` where the row of a changed object is gone and it
    ///   may not become deleted; ``FetchPredicateError``.
    func pendingOverlay(
        of plan: FetchPlan, if isIncluded: Bool, refreshing isRefreshing: Bool = false
    ) throws -> PendingOverlay? {
        guard isIncluded, hasChanges else { return nil }
        let pending = pending
        let own = try readable(pending.filter { plan.includes($0.entity) })
        let dependencies = RelationshipDependency.all(of: plan.predicate, plan.sorts)
        let ids = try idsMisread(by: dependencies, since: pending)
            .subtracting(own.lazy.map(\.localID))
        let others = try storedObjects(ids, of: plan, refreshing: isRefreshing)
        guard !own.isEmpty || !others.isEmpty else { return nil }
        let related = try objectsLookedAt(from: others, by: dependencies)
        defer { keepAlive(related) }
        return try PendingOverlay(own + others, plan)
    }

    /// Brings the rows of changed objects that are faults still, as what has changed only at the
    /// other end of a relationship may be. Those whose rows are gone leave the context.
    private func readable(_ objects: [ManagedObject]) throws -> [ManagedObject] {
        let faults = objects.filter { $0.flags.isDisjoint(with: [.hasRow, .inserted, .deleted]) }
        guard !faults.isEmpty else { return objects }
        for (entity, group) in Dictionary(grouping: faults, by: \.entity) {
            keepAlive(try self.objects(group.map(\.localID), of: entity))
        }
        for object in faults where !object.flags.contains(.hasRow) { try realise(object) }
        return objects.filter { !$0.flags.contains(.detached) }
    }

    /// Records that lead to a pending deletion, however far away; and those that lead, or have led,
    /// to an object whose end of the relationship was changed here.
    private func idsMisread(
        by dependencies: [RelationshipDependency], since pending: [ManagedObject]
    ) throws -> Set<LocalID> {
        var ids: Set<LocalID> = []
        for dependency in dependencies {
            let ends = pending.filter { $0.entity.isKind(of: dependency.destination) }
            let gone = ends.filter { deletedIDs.contains($0.localID) }
            // Who may not be deleted after all, is led to until the save.
            if !gone.isEmpty, dependency.steps.last?.keepsTarget == false {
                let trace = DependencyTrace(context: self, dependency: dependency)
                ids.formUnion(try trace.beginnings(of: Set(gone.map(\.localID))))
            }
            if dependency.steps.count == 1, let inverse = dependency.steps[0].inverse {
                for object in ends { ids.formUnion(object.editedEnds(of: inverse)) }
            }
        }
        return ids
    }

    /// Those of some records that the store has, and the fetch may find.
    private func storedObjects(
        _ ids: Set<LocalID>, of plan: FetchPlan, refreshing isRefreshing: Bool
    ) throws -> [ManagedObject] {
        guard !ids.isEmpty else { return [] }
        var objects: [ManagedObject] = []
        var forgotten: [ManagedObject] = []
        try readRows(of: plan.entity, ids: ids.sorted()) { row in
            objects.append(object(of: row, refreshing: isRefreshing, forgotten: &forgotten))
        }
        withExtendedLifetime(forgotten) {}
        return objects.filter { plan.includes($0.entity) }
    }

    /// What a request looks at from some objects: one read for each relationship and one for those
    /// it leads to, instead of one for each object when it is judged.
    private func objectsLookedAt(
        from objects: [ManagedObject], by dependencies: [RelationshipDependency]
    ) throws -> [ManagedObject] {
        guard !objects.isEmpty else { return [] }
        // The parts of a path come before it.
        var ends: [[RelationshipDescription]: [ManagedObject]] = [[]: objects]
        for dependency in dependencies {
            guard let step = dependency.steps.last else { continue }
            let owners = ends[dependency.steps.dropLast()] ?? []
            ends[dependency.steps] = try targets(of: owners, by: step)
        }
        return ends.values.flatMap { $0 }
    }

    private func targets(
        of owners: [ManagedObject], by relationship: RelationshipDescription
    ) throws -> [ManagedObject] {
        var ids: Set<LocalID> = []
        if relationship.storage == .reference {
            for owner in owners where !owner.slots.isEmpty {
                if case .integer(let id) = owner.slots[relationship.slot] { ids.insert(id) }
            }
        } else {
            try loadMissing(relationship, of: owners)
            for owner in owners {
                guard let index = owner.home.plan.relationIndex(of: relationship) else { continue }
                ids.formUnion(owner.relations?.states[index].members ?? [])
            }
        }
        return try objects(ids, of: relationship.destination)
    }
}

extension ManagedObject {
    /// Those whom the object was related to, or was not, before an unsaved change of its end of a
    /// relationship, as far as is known: others may have set it, too.
    fileprivate final func editedEnds(of relationship: RelationshipDescription) -> Set<LocalID> {
        if let index = home.plan.relationIndex(of: relationship) {
            guard let state = relations?.states[index] else { return [] }
            return state.added.union(state.removed)
        }
        let slot = relationship.slot
        guard isChangedSinceCommit(slot) else { return [] }
        var ends: Set<LocalID> = []
        for value in [slots[slot], committed[slot]] {
            if case .integer(let id) = value { ends.insert(id) }
        }
        return ends
    }
}
