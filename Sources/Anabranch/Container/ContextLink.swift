import Dispatch
import Synchronization

/// How a coordinator reaches a context, without keeping it.
final class ContextLink: Sendable {
    let queue: ContextQueue
    // Set once, before anyone else has the link; a weak reference itself is safe to read anywhere,
    // and what it gives is used on the context's queue only.
    nonisolated(unsafe) private weak var context: ManagedObjectContext?
    private let hasEnded = Atomic(false)

    init(queue: ContextQueue) { self.queue = queue }

    func connect(_ context: ManagedObjectContext) { self.context = context }

    /// May be asked anywhere: asking the reference would hold the context for a moment, and end it
    /// there.
    var isAlive: Bool { !hasEnded.load(ordering: .relaxed) }

    func noteEnd() { hasEnded.store(true, ordering: .relaxed) }

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

/// The contexts that hang on a coordinator, or on a context above them.
final class ContextLinks: Sendable {
    private let links = Mutex<[ContextLink]>([])

    func connect(_ link: ContextLink) {
        links.withLock { links in
            links.removeAll { !$0.isAlive }
            links.append(link)
        }
    }

    var isEmpty: Bool { links.withLock { links in links.allSatisfy { !$0.isAlive } } }

    /// Runs a body later in each context but one, on its queue.
    func enqueue(
        in group: DispatchGroup? = nil, except source: ContextLink? = nil,
        _ body: @escaping @Sendable (ManagedObjectContext) -> Void
    ) {
        for link in links.withLock({ $0 }) where link !== source {
            link.enqueue(in: group, body)
        }
    }
}
