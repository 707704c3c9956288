public import Foundation

// Merging what notifications and other processes tell.
extension ManagedObjectContext {
    /// Takes over what another context of the coordinator has saved, told by its notification.
    ///
    /// - Parameter notification: `didSave` or `didSaveObjectIDs` of that context; it may be
    ///   received on any queue, and is handed to this context on its own.
    /// - Throws: ``PropertyError`` with code `wrongKind` for a notification without changes, with
    ///   code `foreignObject` for one of another store.
    public func mergeChanges(fromContextDidSave notification: Notification) throws {
        guard let changes = notification.objectIDChanges else {
            throw PropertyError(
                .wrongKind,
                "Can't merge \(notification.name.rawValue) because it has no changes; pass a "
                    + "notification of a context's save.")
        }
        try mergeChanges(from: changes)
    }

    /// Takes over changes in several contexts, each on its own queue, one after the other: a
    /// context before those below it, which read from it.
    ///
    /// - Throws: The first error, after every context has been told.
    public static func mergeChanges(
        fromRemoteContextSave changes: ObjectIDChanges, into contexts: [BackgroundContext]
    ) async throws {
        var firstError: (any Error)?
        for context in contexts.sorted(by: { $0.depth < $1.depth }) {
            do {
                try await context.perform { try $0.mergeChanges(from: changes) }
            } catch {
                firstError = firstError ?? error
            }
        }
        if let firstError { throw firstError }
    }
}

extension PersistentStoreCoordinator {
    /// Changes that another process tells by URIs, to be merged into contexts.
    ///
    /// URIs that stand for no object of this store are left out.
    ///
    /// - Throws: ``StoreError``.
    public func objectIDChanges(
        inserted: [URL] = [], updated: [URL] = [], deleted: [URL] = []
    ) throws -> ObjectIDChanges {
        func ids(_ uris: [URL]) throws -> [ManagedObjectID] {
            try uris.compactMap { try managedObjectID(forURIRepresentation: $0) }
        }
        return ObjectIDChanges(
            inserted: try ids(inserted), updated: try ids(updated), deleted: try ids(deleted))
    }
}
