public import AnabranchStore

/// A save lost against another: somebody has changed or deleted the same records, or taken a
/// unique key.
///
/// Nothing was written; the changes are still pending. Of a `mergeConflict`, refresh the objects
/// with `mergeChanges: true`, then save again: one that was changed keeps what was changed here,
/// and one that was deleted leaves the context as deleted, with what was changed in it. Of a
/// `constraintConflict`, change or delete one.
public struct SaveConflictError: Error, Sendable {
    /// `mergeConflict` or `constraintConflict`.
    public var code: StoreError.Code { underlying.code }
    public let message: String
    /// The objects concerned, as far as the context has them registered.
    public let objectIDs: [ManagedObjectID]
    /// Those of them that somebody has deleted.
    public let deletedObjectIDs: [ManagedObjectID]
    public let underlying: StoreError

    init(
        _ objectIDs: [ManagedObjectID], deleted: Set<ManagedObjectID>, underlying: StoreError
    ) {
        self.objectIDs = objectIDs
        deletedObjectIDs = objectIDs.filter(deleted.contains)
        self.underlying = underlying
        let changed = objectIDs.filter { !deleted.contains($0) }
        if underlying.code == .mergeConflict, !objectIDs.isEmpty {
            message = Self.message(changed: changed, deleted: deletedObjectIDs)
        } else {
            message = underlying.message
        }
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
