public import AnabranchReplication
public import AnabranchStore

/// The error of a save that conflicts with an earlier save and that the context's ``MergePolicy``
/// did not resolve: another context or replica changed or deleted the same records, or holds a
/// unique key.
///
/// Nothing was written, and the changes are still pending. After a `mergeConflict`, refresh the
/// objects with `mergeChanges: true` and save again: a changed object keeps the changes of this
/// context, and a deleted object leaves the context with its changes. After a
/// `constraintConflict`, change or delete one of the objects. Alternatively, set another policy
/// and save again.
public struct SaveConflictError: Error, Sendable {
    /// Either `mergeConflict` or `constraintConflict`.
    public var code: StoreError.Code { underlying.code }
    /// The whole error as a sentence.
    public let message: String
    /// The objects concerned, as far as they are registered in the context.
    public let objectIDs: [ManagedObjectID]
    /// The objects among them that were deleted in the store.
    public let deletedObjectIDs: [ManagedObjectID]
    /// The conflicting objects of a `mergeConflict`.
    public let mergeConflicts: [MergeConflict]
    /// The conflicting keys of a `constraintConflict`.
    public let constraintConflicts: [ConstraintConflict]
    /// The error of the store that reported the conflict.
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
            .map { "\(list($0)) \($0.count == 1 ? "was" : "were") \($1) in the store" }
        let remedies = [
            changed.isEmpty ? nil : "keeps the changes of this context",
            deleted.isEmpty ? nil : "drops deleted objects",
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

extension SaveConflictError: CustomStringConvertible, DescribedError {
    /// The message, the code and the objects.
    public var description: String { "\(message) (\(code.rawValue)): \(objectIDs)" }
}
