import Dispatch
import Synchronization

/// A coordinator's connection to a context, which does not keep the context alive.
final class ContextLink: Sendable {
    let queue: ContextQueue
    // Set once, before another thread can reach the link. A weak reference is safe to read on any
    // thread, and the object behind it is used on the context's queue only.
    nonisolated(unsafe) private weak var context: ManagedObjectContext?
    private let hasEnded = Atomic(false)
    private let lostErrors: LostErrors

    /// - Parameter lostErrors: Keeps the errors of objects once their context is gone.
    init(queue: ContextQueue, lostErrors: LostErrors) {
        self.queue = queue
        self.lostErrors = lostErrors
    }

    func connect(_ context: ManagedObjectContext) { self.context = context }

    /// True until the context is deallocated. It can be read on any thread. Reading the weak
    /// reference instead could make the reading thread the last owner of the context and
    /// deallocate it there.
    var isAlive: Bool { !hasEnded.load(ordering: .relaxed) }

    func markEnded() { hasEnded.store(true, ordering: .relaxed) }

    /// Enqueues a closure on the context's queue. It does not run if the context is deallocated by
    /// then.
    func enqueue(
        in group: DispatchGroup? = nil,
        _ body: @escaping @Sendable (ManagedObjectContext) -> Void
    ) {
        queue.dispatchQueue.async(group: group) { [self] in
            guard let context else { return }
            body(context)
        }
    }

    /// Keeps an error of an object that the context has forgotten: as a pending error of the
    /// context, and if that is gone, of the coordinator. Such an object can be used on any queue.
    func keep(_ error: any Error) {
        guard isAlive else { return lostErrors.keep(error) }
        if queue.isCurrent, let context { return context.keep(error) }
        queue.dispatchQueue.async { [self] in
            if let context {
                context.keep(error)
            } else {
                lostErrors.keep(error)
            }
        }
    }

    /// Reports an error of a call that can't throw to the readers of the errors of all contexts.
    func report(_ error: any Error) { lostErrors.listeners.yield(error) }
}

/// The contexts that are connected to a coordinator, or to a parent context.
final class ContextLinks: Sendable {
    private let links = Mutex<[ContextLink]>([])

    func connect(_ link: ContextLink) {
        links.withLock { links in
            links.removeAll { !$0.isAlive }
            links.append(link)
        }
    }

    var isEmpty: Bool { links.withLock { links in links.allSatisfy { !$0.isAlive } } }

    /// Enqueues a closure for each context except one, on the context's own queue.
    func enqueue(
        in group: DispatchGroup? = nil, except source: ContextLink? = nil,
        _ body: @escaping @Sendable (ManagedObjectContext) -> Void
    ) {
        forEach(except: source) { $0.enqueue(in: group, body) }
    }

    /// Calls a closure with the link of each context except one.
    func forEach(except source: ContextLink? = nil, _ body: (ContextLink) -> Void) {
        for link in links.withLock({ $0 }) where link !== source { body(link) }
    }
}
