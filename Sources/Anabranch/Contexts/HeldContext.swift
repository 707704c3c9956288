import Dispatch

/// Keeps a context for somebody who may let go of it anywhere: it ends on its own queue.
///
/// Whoever uses the context's objects on that queue meanwhile asks it for what they share, which
/// it must not take away beside them.
final class HeldContext: Sendable {
    private let queue: ContextQueue
    // Used on the context's queue, and by who asks it for what may be asked anywhere.
    nonisolated(unsafe) private let reference: Unmanaged<ManagedObjectContext>

    init(_ context: ManagedObjectContext) {
        queue = context.queue
        reference = .passRetained(context)
    }

    /// Where the queue takes nothing any more, because the process ends, the context does not end
    /// before it.
    deinit {
        nonisolated(unsafe) let reference = reference
        if queue.isCurrent { return reference.release() }
        queue.dispatchQueue.async { reference.release() }
    }

    var context: ManagedObjectContext { reference.takeUnretainedValue() }

    /// Runs a body on the context's queue, and waits for it.
    func onQueue<Result>(_ body: (ManagedObjectContext) throws -> Result) rethrows -> Result {
        try context.onQueue(body)
    }
}
