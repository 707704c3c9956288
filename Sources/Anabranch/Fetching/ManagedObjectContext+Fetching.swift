import AnabranchModel
import AnabranchReplication
import AnabranchStore

extension ManagedObjectContext {
    /// Finds objects.
    ///
    /// - Throws: ``FetchPredicateError`` for a predicate or sort that does not fit the entity,
    ///   ``PropertyError`` for an unknown entity or one with another class, ``StoreError``.
    public func fetch<Object>(_ request: FetchRequest<Object>) throws -> [Object] {
        checkQueue()
        let plan = try FetchPlan(request, in: self)
        let overlay = try pendingOverlay(of: plan, if: request.includesPendingChanges)
        var objects: [ManagedObject] =
            if request.includesPropertyValues {
                try storedObjects(plan, overlay, request.shouldRefreshRefetchedObjects)
            } else {
                try storedItems(plan, overlay).map { held($0.id) ?? makeFault($0.id, $0.entity) }
            }
        if let overlay { objects = plan.window(try overlay.merge(into: objects, plan)) }
        if !request.relationshipsForPrefetching.isEmpty {
            try prefetch(request.relationshipsForPrefetching, of: objects, plan.entity)
        }
        if !request.returnsObjectsAsFaults { for object in objects { try object.realiseOrThrow() } }
        // The plan has checked the class, and those of sub-entities inherit from it. Arrays of
        // objects are laid out alike; converting one by one would cost a tenth of the fetch.
        return unsafeBitCast(objects, to: [Object].self)
    }

    /// Finds the IDs of objects: as ``fetch(_:)``, without making one.
    ///
    /// - Throws: As ``fetch(_:)``.
    public func objectIDs<Object>(
        for request: FetchRequest<Object>
    ) throws -> [ManagedObjectID] {
        checkQueue()
        let plan = try FetchPlan(request, in: self)
        let origin = coordinator.origin
        guard let overlay = try pendingOverlay(of: plan, if: request.includesPendingChanges) else {
            var ids: [ManagedObjectID] = []
            try coordinator.store.read { reader in
                try reader.forEachObject(plan.query()) { entityIndex, id in
                    ids.append(
                        ManagedObjectID(origin: origin, entityIndex: entityIndex, localID: id))
                }
            }
            return ids
        }
        // Objects whose order is to be compared with pending ones have to be there.
        let objects = try storedObjects(plan, overlay, false)
        return plan.window(try overlay.merge(into: objects, plan)).map(\.objectID)
    }

    /// How many objects a fetch would return.
    ///
    /// - Throws: As ``fetch(_:)``.
    public func count<Object>(for request: FetchRequest<Object>) throws -> Int {
        checkQueue()
        let plan = try FetchPlan(request, in: self)
        guard let overlay = try pendingOverlay(of: plan, if: request.includesPendingChanges) else {
            return try coordinator.store.read { try $0.count(plan.query()) }
        }
        let stored = try storedItems(plan, overlay).count + overlay.matching.count
        let rest = max(stored - plan.offset, 0)
        return plan.limit.map { min($0, rest) } ?? rest
    }
}

extension ManagedObjectContext {
    /// What the store finds, but for what is pending here.
    private func storedObjects(
        _ plan: FetchPlan, _ overlay: PendingOverlay?, _ isRefreshing: Bool
    ) throws -> [ManagedObject] {
        releaseUnusedIfMany()
        var objects: [ManagedObject] = []
        var forgotten: [ManagedObject] = []
        try coordinator.store.read { reader in
            try reader.rows(plan.query(extraRows: overlay?.ids.count)) { row in
                if let overlay, overlay.ids.contains(row.id) { return }
                objects.append(
                    object(of: row, refreshing: isRefreshing, forgotten: &forgotten))
            }
        }
        withExtendedLifetime(forgotten) {}
        return objects
    }

    private func storedItems(
        _ plan: FetchPlan, _ overlay: PendingOverlay?
    ) throws -> [(entity: EntityDescription, id: LocalID)] {
        let items = try coordinator.store.read { reader in
            try reader.objects(plan.query(extraRows: overlay?.ids.count))
        }
        guard let overlay else { return items }
        return items.filter { !overlay.ids.contains($0.id) }
    }

    private func pendingOverlay(
        of plan: FetchPlan, if isIncluded: Bool
    ) throws -> PendingOverlay? {
        guard isIncluded, hasChanges else { return nil }
        let pending = pending.filter { plan.includes($0.entity) }
        return pending.isEmpty ? nil : try PendingOverlay(pending, plan)
    }

    func prefetch(
        _ names: [String], of objects: [ManagedObject], _ entity: EntityDescription
    ) throws {
        for name in names {
            guard let relationship = entity.property(named: name)?.relationship else {
                throw PropertyError(
                    .unknownProperty,
                    "Can't prefetch \(entity.name).\(name) because there is no such relationship.",
                    entity: entity.name, property: name)
            }
            let slot = relationship.slot
            if let index = objects.first?.home.plan.relationIndex(of: relationship) {
                let unloaded = objects.filter { $0.relations?.states[index].members == nil }
                try load(relationship, of: unloaded.filter { !$0.flags.contains(.inserted) })
                let ids = try objects.reduce(into: Set<LocalID>()) {
                    $0.formUnion(try members(of: $1, at: index))
                }
                keepAlive(try self.objects(ids, of: relationship.destination))
            } else {
                let ids = objects.compactMap { object -> LocalID? in
                    guard object.flags.contains(.hasRow), case .integer(let id) = object.slots[slot]
                    else { return nil }
                    return id
                }
                keepAlive(try self.objects(Set(ids), of: relationship.destination))
            }
        }
    }
}
