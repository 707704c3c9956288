import Dispatch

/// A context with a queue of its own: the handle that may be passed anywhere.
///
/// The context itself, and its objects, exist inside the bodies only; what leaves one is
/// `Sendable`, as object IDs are. The compiler sees to that but for a variable outside that the
/// body of ``performAndWait(_:)`` writes to, which debug builds notice when the object is used.
public final class BackgroundContext: Sendable {
    private let queue: ContextQueue
    // Used on the queue only.
    nonisolated(unsafe) private let context: ManagedObjectContext

    public convenience init(coordinator: PersistentStoreCoordinator) {
        let queue = ContextQueue.privateQueue()
        self.init(ManagedObjectContext(coordinator: coordinator, queue: queue))
    }

    /// A context below another one: it sees what that one has not saved, and its saves go there.
    ///
    /// Both may be used at the same time; what the child reads and saves it waits for the parent's
    /// queue for. See ``ManagedObjectContext/parent``.
    public convenience init(parent: BackgroundContext) {
        self.init(ManagedObjectContext(below: parent.context, on: .privateQueue()))
    }

    init(_ context: ManagedObjectContext) {
        queue = context.queue
        self.context = context
    }

    /// How many contexts are above; it never changes.
    var depth: Int { context.depth }

    /// Runs a body on the context's queue, then lets the context process what has changed.
    ///
    /// A call takes some 20 µs; what belongs together goes into one body.
    public func perform<T>(
        _ body: sending @escaping (ManagedObjectContext) throws -> sending T
    ) async throws -> sending T {
        nonisolated(unsafe) let body = body
        return try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<T, any Error>) in
            queue.dispatchQueue.async { [self] in
                do {
                    let result = try body(context)
                    context.finishEvent()
                    continuation.resume(returning: result)
                } catch {
                    context.finishEvent()
                    continuation.resume(throwing: error)
                }
            }
        }
    }

    /// Runs a body on the context's queue and waits for it; may be nested.
    ///
    /// Pending changes are not processed at the end. A context may wait for its parent, as it does
    /// to read. On the parent's queue nobody may wait for a child that others use meanwhile, or
    /// that merges by itself: each would wait for the other. ``perform(_:)`` does not wait.
    public func performAndWait<T>(
        _ body: (ManagedObjectContext) throws -> sending T
    ) rethrows -> sending T {
        nonisolated(unsafe) let context = context
        if queue.isCurrent { return try body(context) }
        return try queue.sync {
            defer { context.releaseSomeUnused() }
            return Handed(value: try body(context))
        }.value
    }
}

/// Carries a result out of a queue that its maker has left.
private struct Handed<Value>: @unchecked Sendable {
    let value: Value
}
