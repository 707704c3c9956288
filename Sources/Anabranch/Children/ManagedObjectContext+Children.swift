extension ManagedObjectContext {
    /// The context that this one's changes are saved to; `nil` where that is the store.
    ///
    /// A context with a parent shows what the parent shows, its unsaved changes included, for as
    /// long as an object has not been read; what was read stays as it was until it is refreshed,
    /// or the context merges by itself (``automaticallyMergesChangesFromParent``). Its save
    /// goes one level up and no further: into the parent's objects, as changes of the parent.
    public var parent: ManagedObjectContext? {
        if case .parent(let parent) = source { parent.context } else { nil }
    }

    /// How many contexts are above; it never changes, and may be asked on any queue.
    var depth: Int { parent.map { $0.depth + 1 } ?? 0 }

    /// Makes a context on the same queue whose saves come here: for edits that are to be kept or
    /// dropped as a whole.
    public func newChildContext() -> ManagedObjectContext {
        ManagedObjectContext(below: self, on: queue)
    }

    /// Makes a context with a queue of its own whose saves come here.
    public func newBackgroundContext() -> BackgroundContext {
        BackgroundContext(ManagedObjectContext(below: self, on: .privateQueue()))
    }

    /// May be called on any queue.
    convenience init(below parent: ManagedObjectContext, on queue: ContextQueue) {
        self.init(parent.coordinator, source: .parent(HeldContext(parent)), queue: queue)
        parent.children.connect(link)
    }
}
