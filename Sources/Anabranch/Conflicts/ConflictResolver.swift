public import AnabranchStore

/// A rule of the app's own: decides what a merge's losers are worth, where the rules of the model
/// do not suffice.
///
/// It runs on the replica whose journal got the conflicts, after each page of remote changes that
/// recorded any, and what it changes is saved as one change set, which travels as every other. The
/// journal stays as it is.
///
/// Both replicas of a conflict may run it, each when it notices. So that they do not answer each
/// other without end, let the result depend on the conflict alone, not on where it runs: two that
/// write the same have no conflict. And where the property no longer has the
/// ``Conflict/winningValue``, somebody has decided already: leave it.
public protocol ConflictResolver: Sendable {
    /// Changes objects as the app sees fit.
    ///
    /// - Parameters:
    ///   - conflicts: All that one page recorded, the earliest first.
    ///   - context: A private one, made for this batch, with author `resolver`. It is saved
    ///     behind this call; do not save it here.
    /// - Throws: Anything; then nothing is saved, and the conflicts are not given again.
    func resolve(_ conflicts: [Conflict], in context: ManagedObjectContext) throws
}

/// A resolver that is one closure:
/// `coordinator.conflictResolver = ConflictClosure { conflicts, context in … }`.
public struct ConflictClosure: ConflictResolver {
    private let body: @Sendable ([Conflict], ManagedObjectContext) throws -> Void

    public init(_ body: @escaping @Sendable ([Conflict], ManagedObjectContext) throws -> Void) {
        self.body = body
    }

    public func resolve(_ conflicts: [Conflict], in context: ManagedObjectContext) throws {
        try body(conflicts, context)
    }
}

/// What became of one batch that a resolver was given.
public struct ConflictResolution: Sendable {
    public let conflicts: [Conflict.ID]
    /// Whether it changed something, which is saved.
    public let hasSaved: Bool
    /// Why nothing was saved: what the resolver threw, or what its save did; else `nil`.
    public let error: (any Error)?
}
