import AnabranchStore
import Synchronization

/// A coordinator's conflict resolver, and the queue on which it runs one batch after another.
final class ResolverQueue: Sendable {
    private struct State: Sendable {
        var resolver: (any ConflictResolver)?
        var last: ConflictResolution?
        var whenRecorded: WhenRecorded?
    }

    /// Passes entries that a save has added to the journal to the resolver, without waiting.
    typealias WhenRecorded =
        @Sendable (_ ids: [ConflictEntry.ID], _ coordinator: PersistentStoreCoordinator) -> Void

    let queue = ContextQueue.privateQueue()
    private let state = Mutex(State())

    var resolver: (any ConflictResolver)? {
        get { state.withLock(\.resolver) }
        set { state.withLock { $0.resolver = newValue } }
    }

    /// What is done with the entries of a save; `nil` if there is no resolver.
    var whenRecorded: WhenRecorded? {
        get { state.withLock(\.whenRecorded) }
        set { state.withLock { $0.whenRecorded = newValue } }
    }

    /// The result of the last batch; `nil` before the first one.
    var last: ConflictResolution? {
        get { state.withLock(\.last) }
        set { state.withLock { $0.last = newValue } }
    }
}
