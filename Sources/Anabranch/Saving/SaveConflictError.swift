public import AnabranchStore

/// A save lost against another: somebody has changed or deleted the same records, or taken a
/// unique key, and the context's ``MergePolicy`` left it at that.
///
/// Nothing was written; the changes are still pending. Of a `mergeConflict`, refresh the objects
/// with `mergeChanges: true`, then save again: one that was changed keeps what was changed here,
/// and one that was deleted leaves the context as deleted, with what was changed in it. Of a
/// `constraintConflict`, change or delete one. Or give the context another policy, and save again.
public struct SaveConflictError: Error, Sendable {
    /// `mergeConflict` or `constraintConflict`.
    public var code: StoreError.Code { underlying.code }
    public let message: String
    /// The objects concerned, as far as the context has them registered.
    public let objectIDs: [ManagedObjectID]
    /// Those of them that somebody has deleted.
    public let deletedObjectIDs: [ManagedObjectID]
    /// Of a `mergeConflict`, each object.
    public let mergeConflicts: [MergeConflict]
    /// Of a `constraintConflict`, each key.
    public let constraintConflicts: [ConstraintConflict]
    public let underlying: StoreError

    init(mergeConflicts conflicts: [MergeConflict], underlying: StoreError) {
        mergeConflicts = conflicts
        constraintConflicts = []
        objectIDs = conflicts.map(\.objectID)
        deletedObjectIDs = conflicts.filter(\.isDeleted).map(\.objectID)
        self.underlying = underlying
        message =
            conflicts.isEmpty
            ? underlying.message
            : Self.message(
                changed: conflicts.filter { !$0.isDeleted }.map(\.objectID),
                deleted: deletedObjectIDs)
    }

    init(constraintConflicts conflicts: [ConstraintConflict], underlying: StoreError) {
        mergeConflicts = []
        constraintConflicts = conflicts
        var seen: Set<ManagedObjectID> = []
        objectIDs = conflicts.flatMap { conflict in
            conflict.conflictingObjectIDs + [conflict.databaseObjectID].compactMap(\.self)
        }.filter { seen.insert($0).inserted }
        deletedObjectIDs = []
        self.underlying = underlying
        message = underlying.message
    }

    private static func message(
        changed: [ManagedObjectID], deleted: [ManagedObjectID]
    ) -> String {
        let causes = [(changed, "changed"), (deleted, "deleted")].filter { !$0.0.isEmpty }
            .map { "\(list($0)) \($0.count == 1 ? "was" : "were") \($1) elsewhere" }
        let remedies = [
            changed.isEmpty ? nil : "keeps what was changed here",
            deleted.isEmpty ? nil : "lets go of what was deleted",
        ].compactMap(\.self)
        return "Can't save because \(causes.joined(separator: " and ")) since it was read; refresh "
            + "with mergeChanges: true, which \(remedies.joined(separator: " and ")), then save "
            + "again."
    }

    private static func list(_ ids: [ManagedObjectID]) -> String {
        let most = 5
        let names = ids.prefix(most).map(\.description).joined(separator: ", ")
        return ids.count > most ? "\(names) and \(ids.count - most) more" : names
    }
}

extension SaveConflictError: CustomStringConvertible {
    public var description: String { "\(message) (\(code.rawValue)): \(objectIDs)" }
}
