import AnabranchStore

extension ManagedObjectContext {
    /// The state of the store that the context reads; `nil` if each read uses the newest state.
    ///
    /// It is ``QueryGenerationToken/current`` if the context was pinned to that and has not read
    /// since.
    public var queryGenerationToken: QueryGenerationToken? {
        checkQueue()
        return generation
    }

    /// Pins the context to one state of the store, which it reads until further notice.
    ///
    /// Fetches and faults read that state, so that a list and its objects stay consistent whatever
    /// other contexts save. A pinned context does not merge the saves of other contexts by itself.
    ///
    /// These move the context to the newest state, to which it is pinned again with its next read:
    ///
    /// - its own save,
    /// - merging changes by ``mergeChanges(from:)``,
    /// - ``reset()``,
    /// - the end of the state's lifetime (`StoreOptions.generationLifetime`), after which the
    ///   registered objects are refreshed.
    ///
    /// Registered objects keep their values; ``refreshAllObjects()`` updates them to the state.
    ///
    /// - Parameter token: ``QueryGenerationToken/current``, or another context's token; `nil` to
    ///   read the newest state again.
    /// - Throws: ``PropertyError`` with code `hasParent` for a context that has a parent, and with
    ///   code `foreignObject` for a token of another store; `StoreError` with code
    ///   `generationExpired` for a state that is no longer kept. The context stays as it was.
    public func setQueryGeneration(from token: QueryGenerationToken?) throws {
        checkQueue()
        if token != nil, case .parent = source {
            throw PropertyError(
                .hasParent,
                "Can't pin a context that has a parent because it reads from its parent; pin "
                    + "the parent.")
        }
        if let snapshot = token?.snapshot {
            guard token?.origin === coordinator.origin else {
                throw PropertyError(
                    .foreignObject,
                    "Can't pin the context because the token is a state of another store.")
            }
            if snapshot.hasEnded { try snapshot.read { _ in } }
        }
        generation = token
    }

    /// Moves a pinned context to the newest state.
    func advanceGeneration() {
        if generation != nil { generation = .current }
    }

    /// Reads the store in one state: the newest, or the state to which the context is pinned.
    ///
    /// - Parameter isOneStatement: True if the body runs one statement at most. This is faster.
    func readStore<Result>(
        isOneStatement: Bool = false, _ body: (StoreReader) throws -> Result
    ) throws -> Result {
        try notifyingObserversAfterwards { try readGeneration(isOneStatement, body) }
    }

    /// The last position of the log in the state of the store that the context reads. If it reads
    /// from a parent, it is the newest one.
    func readPosition() throws -> RowVersion {
        guard generation == nil else {
            return try readStore(isOneStatement: true) { try $0.lastPosition() }
        }
        return try coordinator.store.read(isOneStatement: true, isCounted: false) {
            try $0.lastPosition()
        }
    }

    /// Runs a closure that must not be interrupted. Observers are notified of its changes after it
    /// has returned, because they may read, and reads can't be nested.
    func notifyingObserversAfterwards<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard let observation else { return try body() }
        observation.beginHolding()
        defer { observation.endHolding() }
        return try body()
    }

    private func readGeneration<Result>(
        _ isOneStatement: Bool, _ body: (StoreReader) throws -> Result
    ) throws -> Result {
        guard let generation else {
            return try coordinator.store.read(isOneStatement: isOneStatement, body)
        }
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

    /// Refreshes the registered objects after the present event, because the state that they were
    /// read from has ended.
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
