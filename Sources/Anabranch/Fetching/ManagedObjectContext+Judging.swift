import AnabranchModel
import AnabranchReplication
import AnabranchStore

// Evaluation of objects by the context's state instead of the store's: objects with unsaved
// changes, and objects from which a relationship that the request uses reads differently. These
// are found by following the request's relationships backwards from deleted objects and changed
// references. So a deletion need not look for them, and a request without relationships does not
// either. Of objects with unsaved changes, a request that demands one value of an attribute looks
// at those with this value only (`PendingKeys`).
extension ManagedObjectContext {
    /// - Parameter isRefreshing: True if objects without changes take the values that the store
    ///   has now.
    /// - Returns: `nil` if the store's answer is right as it is.
    /// - Throws: `StoreError`; ``PropertyError`` if the row of a changed object is gone and the
    ///   object may not become deleted; `FetchPredicateError`.
    func pendingOverlay(
        of plan: FetchPlan, if isIncluded: Bool, refreshing isRefreshing: Bool = false
    ) throws -> PendingOverlay? {
        guard isIncluded, hasChanges else { return nil }
        let (own, rowCount) = try changedObjects(for: plan)
        let dependencies = RelationshipDependency.all(of: plan.predicate, plan.sorts)
        let ids = try idsMisread(by: dependencies).filter { !isPending($0, for: plan) }
        let others = try storedObjects(ids, of: plan, refreshing: isRefreshing)
        guard !own.isEmpty || rowCount > 0 || !others.isEmpty else { return nil }
        let related = try objectsLookedAt(from: others, by: dependencies)
        defer { keepAlive(related) }
        return try PendingOverlay(own: own, others: others, rowCount: rowCount, plan, in: self)
    }

    /// Returns the changed objects of the fetched entity that the fetch may find: those with the
    /// value that the predicate demands of an attribute, or all if it demands none.
    ///
    /// - Returns: The objects, and how many rows of the store changed objects of the entity may
    ///   have.
    private func changedObjects(
        for plan: FetchPlan
    ) throws -> (objects: [ManagedObject], rowCount: Int) {
        guard let (attribute, key) = plan.key else {
            let own = try readable(pending.filter { plan.includes($0.entity) })
            return (own, own.count)
        }
        let found = pendingKeys.objects(with: key, of: attribute, among: changed)
        let own = try readable(found.filter { plan.includes($0.entity) })
        // A new object has no row.
        return (own, counts.updated + counts.deleted)
    }

    /// True if a record's object has unsaved changes and is of an entity that a plan fetches.
    func isPending(_ id: LocalID, for plan: FetchPlan) -> Bool {
        guard let object = registry[id] else { return false }
        return object.hasChanges && !object.flags.contains(.detached)
            && plan.includes(object.entity)
    }

    /// Reads the rows of changed objects that are still faults, because they changed only at the
    /// other end of a relationship. Objects without a row leave the context.
    private func readable(_ objects: [ManagedObject]) throws -> [ManagedObject] {
        let faults = objects.filter { $0.flags.isDisjoint(with: [.hasRow, .inserted, .deleted]) }
        guard !faults.isEmpty else { return objects }
        for (entity, group) in Dictionary(grouping: faults, by: \.entity) {
            keepAlive(try self.objects(group.map(\.localID), of: entity))
        }
        for object in faults where !object.flags.contains(.hasRow) { try fireFault(object) }
        return objects.filter { !$0.flags.contains(.detached) }
    }

    /// Returns the records from which the request reaches a pending deletion, by any number of
    /// steps. It also returns the records from which it reaches, by one step, an object with an
    /// unsaved change of its end of the relationship.
    private func idsMisread(by dependencies: [RelationshipDependency]) throws -> Set<LocalID> {
        guard !dependencies.isEmpty else { return [] }
        let pending = pending
        var ids: Set<LocalID> = []
        for dependency in dependencies {
            let ends = pending.filter { $0.entity.isKind(of: dependency.destination) }
            let gone = ends.filter { deletedIDs.contains($0.localID) }
            // If the deletion of an object can still be denied, the object stays a target until
            // the save.
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

    /// Returns those of some records that the store has and the fetch can find.
    private func storedObjects(
        _ ids: Set<LocalID>, of plan: FetchPlan, refreshing isRefreshing: Bool
    ) throws -> [ManagedObject] {
        guard !ids.isEmpty else { return [] }
        return try objects(refreshing: isRefreshing) { take in
            try readRows(of: plan.entity, ids: ids.sorted(), take)
        }.filter { plan.includes($0.entity) }
    }

    /// Reads what a request uses from some objects: one read per relationship, and one for its
    /// targets, instead of one per object during the evaluation.
    private func objectsLookedAt(
        from objects: [ManagedObject], by dependencies: [RelationshipDependency]
    ) throws -> [ManagedObject] {
        guard !objects.isEmpty else { return [] }
        // The parts of a path come before the path.
        var ends: [[RelationshipDescription]: [ManagedObject]] = [[]: objects]
        for dependency in dependencies {
            guard let step = dependency.steps.last else { continue }
            let owners = ends[dependency.steps.dropLast()] ?? []
            ends[dependency.steps] = try relatedObjects(of: owners, by: step)
        }
        return ends.values.flatMap { $0 }
    }
}

extension ManagedObject {
    /// Returns the objects that an unsaved change of this object has added to or removed from a
    /// relationship.
    ///
    /// The change is relative to the state that this context has read. If another context has saved
    /// a change of the relationship since, the result does not include that change.
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
