import AnabranchModel
import AnabranchReplication
import AnabranchStore

extension ManagedObjectContext {
    /// Finds objects.
    ///
    /// The store evaluates the predicate by its saved rows, and a related object counts as saved
    /// too. With pending changes, the context evaluates an object in memory in these cases:
    ///
    /// - The object itself has changed since the last save.
    /// - The predicate or a sort goes from the object, along any number of relationships with
    ///   inverses, to an object with a pending deletion.
    /// - The predicate or a sort goes from the object, along one relationship, to an object, and
    ///   an unsaved change of either object has changed that relationship.
    ///
    /// A changed object without a row in the store is not found. It becomes deleted if
    /// ``shouldDeleteInaccessibleFaults`` or ``shouldHandleInaccessibleFault`` permits it.
    ///
    /// - Throws: `FetchPredicateError` for a predicate or sort that does not fit the entity;
    ///   ``PropertyError`` for an unknown entity or one with another class, and with code
    ///   `inaccessible` for a changed object that may not become deleted; `StoreError`.
    public func fetch<Object>(_ request: FetchRequest<Object>) throws -> [Object] {
        checkQueue()
        let plan = try FetchPlan(request, in: self)
        let objects = try fetch(
            plan, includingPending: request.includesPendingChanges,
            values: request.includesPropertyValues,
            refreshing: request.shouldRefreshRefetchedObjects)
        return try prepared(objects, for: request, plan)
    }

    /// Prefetches relationships and fires faults, as a request demands.
    func prepared<Object>(
        _ objects: [ManagedObject], for request: FetchRequest<Object>, _ plan: FetchPlan
    ) throws -> [Object] {
        if !request.relationshipKeyPathsForPrefetching.isEmpty {
            try prefetch(request.relationshipKeyPathsForPrefetching, of: objects, plan.entity)
        }
        if !request.returnsObjectsAsFaults {
            for object in objects { try object.fireFaultOrThrow() }
        }
        // The plan has checked the class, and the classes of sub-entities inherit from it. Arrays
        // of objects have the same layout; converting one by one would cost a tenth of the fetch.
        return unsafeBitCast(objects, to: [Object].self)
    }

    /// Finds the same objects as ``fetch(_:)->[Object]`` and returns their IDs without creating
    /// objects.
    ///
    /// - Throws: The errors of ``fetch(_:)->[Object]``.
    public func objectIDs<Object>(for request: FetchRequest<Object>) throws -> [ManagedObjectID] {
        checkQueue()
        return try objectIDs(
            FetchPlan(request, in: self), includingPending: request.includesPendingChanges)
    }

    /// Returns the number of objects that a fetch would find.
    ///
    /// - Throws: The errors of ``fetch(_:)->[Object]``.
    public func count<Object>(for request: FetchRequest<Object>) throws -> Int {
        checkQueue()
        return try count(
            FetchPlan(request, in: self), includingPending: request.includesPendingChanges)
    }
}

extension ManagedObjectContext {
    /// - Parameters:
    ///   - values: True if the fetch reads whole rows.
    ///   - isRefreshing: True if objects without changes take the values that the store has now.
    ///   - copies: The rows, if they were read already.
    func fetch(
        _ plan: FetchPlan, includingPending: Bool, values: Bool = true,
        refreshing isRefreshing: Bool = false, from copies: StoredRows? = nil
    ) throws -> [ManagedObject] {
        let overlay = try pendingOverlay(of: plan, if: includingPending, refreshing: isRefreshing)
        if let copies, copies.suffice(for: overlay, plan) {
            let objects = objects(of: copies, overlay, isRefreshing)
            return plan.window(try overlay?.merge(into: objects, plan) ?? objects)
        }
        let objects: [ManagedObject] =
            if values {
                try storedObjects(plan, overlay, includingPending, isRefreshing)
            } else {
                try storedIDs(plan, overlay, includingPending).map {
                    held($0.localID, of: $0.entity) ?? makeFault($0.localID, $0.entity)
                }
            }
        guard let overlay else { return objects }
        return plan.window(try overlay.merge(into: objects, plan))
    }

    func objectIDs(_ plan: FetchPlan, includingPending: Bool) throws -> [ManagedObjectID] {
        guard let overlay = try pendingOverlay(of: plan, if: includingPending) else {
            return try storedIDs(plan, nil, includingPending)
        }
        // Objects that are compared with pending ones have to be in memory.
        let objects = try storedObjects(plan, overlay, includingPending, false)
        return plan.window(try overlay.merge(into: objects, plan)).map(\.objectID)
    }

    func count(_ plan: FetchPlan, includingPending: Bool) throws -> Int {
        guard let overlay = try pendingOverlay(of: plan, if: includingPending) else {
            return try readCount(plan.query(), includingPending: includingPending)
        }
        let stored = try storedIDs(plan, overlay, includingPending).count + overlay.matching.count
        let rest = max(stored - plan.offset, 0)
        return plan.limit.map { min($0, rest) } ?? rest
    }

    /// Returns the objects that the store finds, without those that the overlay evaluates.
    private func storedObjects(
        _ plan: FetchPlan, _ overlay: PendingOverlay?, _ includingPending: Bool,
        _ isRefreshing: Bool
    ) throws -> [ManagedObject] {
        // A fetch returns each row once.
        try objects(refreshing: isRefreshing, areNew: registry.count == 0) { take in
            try readRows(
                plan.query(extraRows: overlay?.rowCount), includingPending: includingPending
            ) { row in
                if let overlay, overlay.replaces(row.id) { return }
                take(row)
            }
        }
    }

    /// Returns the objects of rows that were read already, without those that the overlay
    /// evaluates.
    private func objects(
        of copies: StoredRows, _ overlay: PendingOverlay?, _ isRefreshing: Bool
    ) -> [ManagedObject] {
        withExtendedLifetime(copies) {
            objects(refreshing: isRefreshing) { take in
                for row in copies.rows where overlay?.replaces(row.id) != true {
                    take(.lent(.passUnretained(row)))
                }
            }
        }
    }

    private func storedIDs(
        _ plan: FetchPlan, _ overlay: PendingOverlay?, _ includingPending: Bool
    ) throws -> [ManagedObjectID] {
        let query = plan.query(extraRows: overlay?.rowCount)
        let ids = try readIDs(query, includingPending: includingPending)
        guard let overlay else { return ids }
        return ids.filter { !overlay.replaces($0.localID) }
    }
}
