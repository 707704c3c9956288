import Dispatch

/// A context with its own private queue, as a handle that can cross to any queue.
///
/// The context and its objects exist only inside the closures that the handle runs; `Sendable`
/// values such as object IDs leave them. The compiler enforces this, except for a variable outside
/// that the closure of ``performAndWait(_:)`` assigns. Debug builds detect that when the object is
/// used.
public final class BackgroundContext: Sendable {
    private let queue: ContextQueue
    // Used on the queue only.
    nonisolated(unsafe) private let context: ManagedObjectContext

    /// Creates a context that reads from and saves to a coordinator's store.
    public convenience init(coordinator: PersistentStoreCoordinator) {
        let queue = ContextQueue.privateQueue()
        self.init(ManagedObjectContext(coordinator: coordinator, queue: queue))
    }

    /// Creates a child context, which shows the parent's unsaved changes and saves to the parent.
    ///
    /// Both can be used at the same time; the child waits for the parent's queue when it reads and
    /// saves. See ``ManagedObjectContext/parent``.
    public convenience init(parent: BackgroundContext) {
        self.init(ManagedObjectContext(below: parent.context, on: .privateQueue()))
    }

    init(_ context: ManagedObjectContext) {
        queue = context.queue
        self.context = context
    }

    /// How many contexts are above; it never changes.
    var depth: Int { context.depth }

    /// Runs a closure on the context's queue, then processes the context's pending changes.
    ///
    /// A call takes about 20 µs, so put work that belongs together into one closure.
    ///
    /// - Parameter body: The closure.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure.
    public func perform<T>(
        _ body: sending @escaping (ManagedObjectContext) throws -> sending T
    ) async throws -> sending T {
        try await run(body)
    }

    /// Runs a closure, or a function by its name, as the other form does.
    ///
    /// A function has no `sending` result, so this form takes those with a `Sendable` result.
    ///
    /// - Parameter body: The closure or the function.
    /// - Returns: Its result.
    /// - Throws: Its error.
    public func perform<T: Sendable>(
        _ body: sending @escaping (ManagedObjectContext) throws -> T
    ) async throws -> T {
        try await run { try body($0) }
    }

    private func run<T>(
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

    /// Runs a closure on the context's queue and waits for it. Calls can be nested.
    ///
    /// Pending changes are not processed at the end. A context may wait for its parent, as it does
    /// when it reads. On the parent's queue, do not wait for a child that other code uses
    /// meanwhile, or that merges changes by itself: each would wait for the other. `perform`
    /// does not block a queue.
    ///
    /// - Parameter body: The closure.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure.
    public func performAndWait<T>(
        _ body: (ManagedObjectContext) throws -> sending T
    ) rethrows -> sending T {
        nonisolated(unsafe) let context = context
        if queue.isCurrent { return try body(context) }
        return try queue.sync {
            defer { context.releaseSomeUnused() }
            return SendableResult(value: try body(context))
        }.value
    }
}

/// Carries a result out of a queue that its maker has left.
private struct SendableResult<Value>: @unchecked Sendable {
    let value: Value
}
