public import Foundation

// Merging what notifications and other processes tell.
extension ManagedObjectContext {
    /// Merges the save of another context of the same coordinator, given as its notification.
    ///
    /// - Parameter notification: The ``didSave`` or ``didSaveObjectIDs`` notification of the other
    ///   context. It can arrive on any queue; call this method on the queue of this context.
    /// - Throws: ``PropertyError`` with code `wrongKind` for a notification without changes, and
    ///   with code `foreignObject` for one of another store.
    public func mergeChanges(fromContextDidSave notification: Notification) throws {
        guard let changes = notification.objectIDChanges else {
            throw PropertyError(
                .wrongKind,
                "Can't merge \(notification.name.rawValue) because it has no changes; pass a "
                    + "notification of a context's save.")
        }
        try mergeChanges(from: changes)
    }

    /// Merges changes into several contexts, each on its own queue, one after another. A parent
    /// context comes before its children, which read from it.
    ///
    /// - Throws: The first error, after the merge was tried in every context.
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
    /// Creates changes from the URIs of objects, for example from another process, to be merged
    /// into contexts.
    ///
    /// URIs that do not name an object of this store are left out.
    ///
    /// - Throws: `StoreError`.
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
