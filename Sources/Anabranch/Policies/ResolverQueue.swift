import Synchronization

/// A coordinator's conflict resolver, and the queue on which it runs one batch after another.
final class ResolverQueue: Sendable {
    private struct State: Sendable {
        var resolver: (any ConflictResolver)?
        var last: ConflictResolution?
    }

    let queue = ContextQueue.privateQueue()
    private let state = Mutex(State())

    var resolver: (any ConflictResolver)? {
        get { state.withLock(\.resolver) }
        set { state.withLock { $0.resolver = newValue } }
    }

    /// The result of the last batch; `nil` before the first one.
    var last: ConflictResolution? {
        get { state.withLock(\.last) }
        set { state.withLock { $0.last = newValue } }
    }
}
