extension ManagedObjectContext {
    /// The context that this context saves to; `nil` if it saves to the store.
    ///
    /// A context with a parent shows the parent's objects, including the parent's unsaved changes.
    /// An object that was read stays as it was until it is refreshed, or until the context merges
    /// changes by itself (``automaticallyMergesChangesFromParent``). A save goes one level up and
    /// no further: it changes the parent's objects, as unsaved changes of the parent.
    public var parent: ManagedObjectContext? {
        if case .parent(let parent) = source { parent.context } else { nil }
    }

    /// How many contexts are above; it never changes, and may be asked on any queue.
    var depth: Int { parent.map { $0.depth + 1 } ?? 0 }

    /// Creates a context on the same queue that saves to this context. Use it for edits that are
    /// saved or discarded as a whole.
    public func newChildContext() -> ManagedObjectContext {
        ManagedObjectContext(below: self, on: queue)
    }

    /// Creates a context with its own private queue that saves to this context.
    public func newBackgroundContext() -> BackgroundContext {
        BackgroundContext(ManagedObjectContext(below: self, on: .privateQueue()))
    }

    /// May be called on any queue.
    convenience init(below parent: ManagedObjectContext, on queue: ContextQueue) {
        self.init(parent.coordinator, source: .parent(HeldContext(parent)), queue: queue)
        parent.children.connect(link)
    }
}
