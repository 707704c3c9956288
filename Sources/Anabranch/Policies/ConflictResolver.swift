public import AnabranchStore

/// An app's own rule for conflicts that the model's merge rules can't decide alone.
///
/// The resolver runs on the replica that recorded the conflicts, after each page of remote changes
/// that recorded any. Its changes are saved as one ordinary change set, which syncs like every
/// other. The conflict journal is not changed.
///
/// Both replicas of a conflict can run their resolvers. So that they do not answer each other
/// endlessly, compute the result from the conflict alone: two replicas that write the same value
/// have no conflict. If the property no longer has the `winningValue` of the conflict, another
/// write has already decided; leave it then.
public protocol ConflictResolver: Sendable {
    /// Changes objects to resolve conflicts.
    ///
    /// - Parameters:
    ///   - conflicts: The conflicts that one page recorded, the earliest first.
    ///   - context: A private context for this batch, with the author `resolver`. It is saved
    ///     after this call; do not save it here.
    /// - Throws: Any error. Nothing is saved then, and the resolver does not get these conflicts
    ///   again.
    func resolve(_ conflicts: [ConflictEntry], in context: ManagedObjectContext) throws
}

/// A conflict resolver that calls a closure:
/// `coordinator.conflictResolver = ClosureConflictResolver { conflicts, context in … }`.
public struct ClosureConflictResolver: ConflictResolver {
    private let body: @Sendable ([ConflictEntry], ManagedObjectContext) throws -> Void

    /// Creates a resolver from a closure with the parameters of
    /// ``ConflictResolver/resolve(_:in:)``.
    public init(_ body: @escaping @Sendable ([ConflictEntry], ManagedObjectContext) throws -> Void)
    {
        self.body = body
    }

    /// Calls the closure.
    public func resolve(_ conflicts: [ConflictEntry], in context: ManagedObjectContext) throws {
        try body(conflicts, context)
    }
}

/// The result of one batch of conflicts that a resolver was given.
public struct ConflictResolution: Sendable {
    /// The conflicts of the batch.
    public let conflicts: [ConflictEntry.ID]
    /// True if the resolver changed something, which was saved.
    public let hasSaved: Bool
    /// The error of the resolver or of its save, in which case nothing was saved; otherwise `nil`.
    public let error: (any Error)?
}
