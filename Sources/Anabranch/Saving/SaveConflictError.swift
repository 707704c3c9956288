public import AnabranchStore

/// A save lost against another: somebody has changed the same records, or taken a unique key.
///
/// Nothing was written; the changes are still pending. Of a `mergeConflict`, refresh the objects
/// with `mergeChanges: true`, then save again; of a `constraintConflict`, change or delete one.
public struct SaveConflictError: Error, Sendable {
    /// `mergeConflict` or `constraintConflict`.
    public var code: StoreError.Code { underlying.code }
    public var message: String { underlying.message }
    /// The objects concerned, as far as the context has them registered.
    public let objectIDs: [ManagedObjectID]
    public let underlying: StoreError
}

extension SaveConflictError: CustomStringConvertible {
    public var description: String { "\(message) (\(code.rawValue)): \(objectIDs)" }
}
