import AnabranchStore

/// One state of the store, which contexts can continue to read whatever is saved meanwhile.
///
/// The store keeps a state as long as a token for it exists, but no longer than
/// `StoreOptions.generationLifetime`.
public struct QueryGenerationToken: Sendable {
    /// The snapshot of the store; `nil` for the state at the first read.
    let snapshot: StoreSnapshot?
    let origin: StoreOrigin?

    /// The state that the store has when the context reads next.
    public static let current = QueryGenerationToken(snapshot: nil, origin: nil)
}

extension QueryGenerationToken: Hashable {
    /// Returns true if both tokens name the same state, kept by one snapshot.
    public static func == (left: QueryGenerationToken, right: QueryGenerationToken) -> Bool {
        left.snapshot === right.snapshot
    }

    /// Hashes the identity of the state.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(snapshot.map(ObjectIdentifier.init))
    }
}
