import Dispatch

/// How a coordinator reaches a context, without keeping it.
final class ContextLink: Sendable {
    let queue: ContextQueue
    // Set once, before anyone else has the link; a weak reference itself is safe to read anywhere,
    // and what it gives is used on the context's queue only.
    nonisolated(unsafe) private weak var context: ManagedObjectContext?

    init(queue: ContextQueue) { self.queue = queue }

    func connect(_ context: ManagedObjectContext) { self.context = context }

    var isAlive: Bool { context != nil }

    /// Runs a body later, on the context's queue; not at all if the context is gone by then.
    func enqueue(
        in group: DispatchGroup? = nil,
        _ body: @escaping @Sendable (ManagedObjectContext) -> Void
    ) {
        queue.dispatchQueue.async(group: group) { [self] in
            guard let context else { return }
            body(context)
        }
    }
}
