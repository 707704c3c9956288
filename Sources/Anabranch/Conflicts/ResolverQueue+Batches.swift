import AnabranchStore
import Dispatch

extension ResolverQueue {
    private static let maximumAttempts = 5

    /// Passes entries of the journal to the resolver as one batch.
    ///
    /// - Parameter whenDone: Always called, with `nil` if there is no resolver or no such entry.
    func run(
        _ selection: ConflictSelection, on coordinator: PersistentStoreCoordinator,
        whenDone: @escaping @Sendable (ConflictResolution?) -> Void
    ) {
        guard let resolver else { return whenDone(nil) }
        queue.dispatchQueue.async { [self] in
            let resolution = resolve(selection, with: resolver, on: coordinator)
            if let resolution {
                last = resolution
                coordinator.post(resolution)
            }
            whenDone(resolution)
        }
    }

    /// Passes the entries of a save to the coordinator's resolver, and does not wait for it.
    fileprivate static let run: WhenRecorded = { ids, coordinator in
        coordinator.resolverQueue.run(.numbers(ids), on: coordinator) { _ in }
    }

    private func resolve(
        _ selection: ConflictSelection, with resolver: any ConflictResolver,
        on coordinator: PersistentStoreCoordinator
    ) -> ConflictResolution? {
        var ids: [ConflictEntry.ID] = []
        do {
            let conflicts = Array(try coordinator.conflicts(selection).reversed())
            guard !conflicts.isEmpty else { return nil }
            ids = conflicts.map(\.id)
            let hasSaved = try attempt(conflicts, with: resolver, on: coordinator)
            return ConflictResolution(conflicts: ids, hasSaved: hasSaved, error: nil)
        } catch {
            return ConflictResolution(conflicts: ids, hasSaved: false, error: error)
        }
    }

    /// Runs the resolver and saves its changes. If a concurrent save changed the same objects,
    /// nothing was written, and the resolver runs again in a new context.
    private func attempt(
        _ conflicts: [ConflictEntry], with resolver: any ConflictResolver,
        on coordinator: PersistentStoreCoordinator
    ) throws -> Bool {
        var attempts = 1
        while true {
            let context = ManagedObjectContext(coordinator: coordinator, queue: queue)
            context.transactionAuthor = "resolver"
            do {
                try resolver.resolve(conflicts, in: context)
                context.processPendingChanges()
                let hasSaved = context.hasChanges
                try context.save()
                return hasSaved
            } catch let error as SaveConflictError
                where error.code == .mergeConflict && attempts < Self.maximumAttempts
            {
                attempts += 1
            }
        }
    }
}

extension PersistentStoreCoordinator {
    /// The app's own rule for the values that merging discards; `nil` runs none.
    ///
    /// Set it before the first sync. Conflicts that were recorded earlier, or by another process,
    /// are passed to it only by ``resolveConflicts(_:)``.
    public var conflictResolver: (any ConflictResolver)? {
        get { resolverQueue.resolver }
        set {
            resolverQueue.resolver = newValue
            let hasResolver = newValue != nil
            resolverQueue.whenRecorded = hasResolver ? ResolverQueue.run : nil
        }
    }

    /// The result of the last batch that the resolver was given since the store was opened.
    public var lastConflictResolution: ConflictResolution? { resolverQueue.last }

    /// Passes entries that are already in the journal to the resolver, as one batch.
    ///
    /// - Parameter selection: The entries to pass.
    /// - Returns: The result; `nil` if there is no resolver or no such entry.
    @discardableResult
    public func resolveConflicts(
        _ selection: ConflictSelection = .all
    ) async -> ConflictResolution? {
        await withCheckedContinuation { continuation in
            resolverQueue.run(selection, on: self) { continuation.resume(returning: $0) }
        }
    }
}

extension PersistentContainer {
    /// The app's own rule for the values that merging discards; `nil` runs none.
    ///
    /// It is the ``PersistentStoreCoordinator/conflictResolver`` of the container's coordinator.
    /// Reading or setting it before ``load()`` has succeeded stops the program.
    public var conflictResolver: (any ConflictResolver)? {
        get { coordinator.conflictResolver }
        set { coordinator.conflictResolver = newValue }
    }
}
