import AnabranchStore

/// One state of the store, for contexts that shall go on reading it whatever is saved meanwhile.
///
/// A state is kept for as long as somebody has its token, but no longer than
/// ``StoreOptions/generationLifetime``.
public struct QueryGenerationToken: Sendable {
    /// `nil`: the state at the first read.
    let snapshot: StoreSnapshot?
    let origin: StoreOrigin?

    /// The state that the store has when the context reads next.
    public static let current = QueryGenerationToken(snapshot: nil, origin: nil)
}

extension QueryGenerationToken: Hashable {
    /// Equal tokens stand for one state, kept by one pin.
    public static func == (left: QueryGenerationToken, right: QueryGenerationToken) -> Bool {
        left.snapshot === right.snapshot
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(snapshot.map(ObjectIdentifier.init))
    }
}
