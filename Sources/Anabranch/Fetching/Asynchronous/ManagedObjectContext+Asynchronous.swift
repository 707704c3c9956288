import AnabranchModel
import AnabranchStore

extension ManagedObjectContext {
    /// Finds objects without blocking the caller's thread while the store reads.
    ///
    /// The result is that of ``fetch(_:)->[Object]``, with the unsaved changes that
    /// the context has when the rows have been read: other code of the context's queue may run
    /// before that. A context that has a parent reads at once.
    ///
    /// ```swift
    /// let people = try await context.fetchInBackground(request) { count in progress.show(count) }
    /// ```
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - onProgress: Called with the number of rows so far, on any thread: after each thousand
    ///     rows, and at the end.
    /// - Throws: `CancellationError` if the task is cancelled, which interrupts the read; the
    ///   errors of ``fetch(_:)->[Object]``.
    public func fetchInBackground<Object>(
        _ request: FetchRequest<Object>, isolation: isolated (any Actor)? = #isolation,
        onProgress: (@Sendable (_ rowCount: Int) -> Void)? = nil
    ) async throws -> [Object] {
        checkQueue()
        try Task.checkCancellation()
        let plan = try FetchPlan(request, in: self)
        guard case .store = source else { return try fetch(request) }
        guard request.includesPropertyValues else {
            return try await fetchFaults(request, plan, onProgress)
        }
        let extraCount = pendingCount + StoredRows.spareCount
        for _ in 0..<Self.attempts {
            let number = storeStateNumber
            let rows = try await backgroundRead(onProgress).rows(plan.query(extraRows: extraCount))
            // Objects must not get rows that are older than what the context has merged.
            guard number == storeStateNumber else { continue }
            let objects = try fetch(
                plan, includingPending: request.includesPendingChanges,
                refreshing: request.shouldRefreshRefetchedObjects,
                from: StoredRows(rows: rows, extraCount: extraCount))
            return try prepared(objects, for: request, plan)
        }
        return try fetch(request)
    }

    /// Finds objects without their values, of which only the IDs are read. With unsaved changes
    /// that count, the objects are compared in memory.
    private func fetchFaults<Object>(
        _ request: FetchRequest<Object>, _ plan: FetchPlan,
        _ onProgress: (@Sendable (Int) -> Void)?, isolation: isolated (any Actor)? = #isolation
    ) async throws -> [Object] {
        func hasPending() -> Bool { request.includesPendingChanges && hasChanges }
        for _ in 0..<Self.attempts where !hasPending() {
            let number = storeStateNumber
            let found = try await backgroundRead(onProgress).objects(plan.query())
            guard number == storeStateNumber, !hasPending() else { continue }
            let entities = coordinator.model.entities
            let objects = found.map { entityIndex, id in
                held(id, of: entities[entityIndex]) ?? makeFault(id, entities[entityIndex])
            }
            return try prepared(objects, for: request, plan)
        }
        return try fetch(request)
    }

    /// Returns the IDs of the objects that a plan finds, in its order.
    ///
    /// With unsaved changes, or a parent, the objects are compared in memory.
    func idsInBackground(
        _ plan: FetchPlan, includingPending: Bool, isolation: isolated (any Actor)? = #isolation
    ) async throws -> [LocalID] {
        guard case .store = source, !includingPending || !hasChanges else {
            return try objectIDs(plan, includingPending: includingPending).map(\.localID)
        }
        return try await backgroundRead(nil).objects(plan.query()).map(\.id)
    }

    /// Returns the objects of some IDs in their order, without those that are deleted.
    func objectsInBackground(
        _ ids: [LocalID], _ plan: FetchPlan, isolation: isolated (any Actor)? = #isolation
    ) async throws -> [ManagedObject] {
        var kept: [ManagedObject] = []
        if case .store = source {
            let missing = ids.filter { held($0)?.flags.contains(.hasRow) != true }
            let number = storeStateNumber
            let rows = try await backgroundRead(nil).rows(of: plan.entity, ids: missing)
            if number == storeStateNumber {
                kept = objects { take in
                    for row in rows { take(.lent(.passUnretained(row))) }
                }
            }
            withExtendedLifetime(rows) {}
        }
        defer { keepAlive(kept) }
        return try objects(listed: ids, of: plan.entity).filter { !$0.isDeleted }
    }

    /// The number of reads that saves and merges may overtake before one blocks them.
    private static var attempts: Int { 3 }

    private var pendingCount: Int { hasChanges ? pending.count : 0 }

    func backgroundRead(_ onProgress: (@Sendable (Int) -> Void)?) -> BackgroundRead {
        BackgroundRead(
            store: coordinator.store, snapshot: generation?.snapshot, onProgress: onProgress)
    }
}
