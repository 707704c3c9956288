import AnabranchStore

extension ManagedObjectContext {
    /// The state of the store that the context reads; `nil` for the newest at each read.
    ///
    /// Of a context that was pinned to ``QueryGenerationToken/current`` and has not read since,
    /// that.
    public var queryGenerationToken: QueryGenerationToken? {
        checkQueue()
        return generation
    }

    /// Pins the context: it reads one state of the store until further notice.
    ///
    /// Fetches and faults read that state, so that a list and what is shown of its objects fit
    /// together whatever others save. A pinned context does not follow others' saves; its own save,
    /// merging changes by hand, and ``reset()`` move it to the newest state, at which it is
    /// pinned with its next read. So does the end of a state's lifetime
    /// (``StoreOptions/generationLifetime``), after which the registered objects are refreshed.
    ///
    /// Registered objects keep what they have; ``refreshAllObjects()`` brings them to the state.
    ///
    /// - Parameter token: `.current`; another context's token; `nil` to read the newest again.
    /// - Throws: ``PropertyError`` with code `hasParent` for a context that reads from another
    ///   one, or `foreignObject` for a token of another store; ``StoreError`` with code
    ///   `generationExpired` for a state that is not kept any more. The context stays as it was.
    public func setQueryGeneration(from token: QueryGenerationToken?) throws {
        checkQueue()
        if token != nil, case .parent = source {
            throw PropertyError(
                .hasParent,
                "Can't pin a context that has a parent because it reads from that one; pin the "
                    + "parent.")
        }
        if let snapshot = token?.snapshot {
            guard token?.origin === coordinator.origin else {
                throw PropertyError(
                    .foreignObject, "Can't pin a context to a state of another store.")
            }
            if snapshot.hasEnded { try snapshot.read { _ in } }
        }
        generation = token
    }

    /// A context that is pinned goes on from the newest state.
    func advanceGeneration() {
        if generation != nil { generation = .current }
    }

    /// Reads the store in one state of it: the newest, or that which the context is pinned to.
    func readStore<Result>(_ body: (StoreReader) throws -> Result) throws -> Result {
        try tellingObserversAfterwards { try readGeneration(body) }
    }

    /// Runs a body that must not be interrupted: what it changes is told to observers once it has
    /// returned. They may read, which nobody can within a read.
    func tellingObserversAfterwards<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard let observation else { return try body() }
        observation.beginHolding()
        defer { observation.endHolding() }
        return try body()
    }

    private func readGeneration<Result>(
        _ body: (StoreReader) throws -> Result
    ) throws -> Result {
        guard let generation else { return try coordinator.store.read(body) }
        if let snapshot = generation.snapshot {
            do {
                return try snapshot.read(body)
            } catch let error as StoreError where error.code == .generationExpired {
                refreshLater()
            }
        }
        let snapshot = try coordinator.store.snapshot()
        self.generation = QueryGenerationToken(snapshot: snapshot, origin: coordinator.origin)
        return try snapshot.read(body)
    }

    /// What was read from a state that has ended follows once the present event is over.
    private func refreshLater() {
        link.enqueue { context in
            do {
                try context.refreshAllObjects()
            } catch {
                context.keep(error)
            }
            context.finishEvent()
        }
    }
}
