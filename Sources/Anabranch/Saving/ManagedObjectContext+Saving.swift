import AnabranchModel
import AnabranchReplication
import AnabranchStore

extension ManagedObjectContext {
    /// Writes everything that has changed, in one transaction and as one change set.
    ///
    /// With nothing changed it does nothing. Else, in this order: the delete rules are followed
    /// and ``objectsDidChange`` is posted; ``willSave`` is posted and every object's `willSave`
    /// called, again for what is changed meanwhile, until nothing is; every object is validated,
    /// deleted ones first, then inserted ones, then updated ones, again what a validation changes;
    /// all is written; every object's `didSave` is called; ``didSave`` and ``didSaveObjectIDs``
    /// are posted.
    ///
    /// A context that has a parent hands its changes over to that one, in memory: they are checked
    /// here, wait there as the parent's own changes, and are written with the parent's save. What
    /// the parent has deleted meanwhile is a conflict whatever the policy. What the parent knows
    /// another record to stand for is saved as that one, as if the child had merged it.
    ///
    /// - Throws: ``ValidationError`` with every failure; ``SaveConflictError`` where somebody else
    ///   has changed or deleted the same records since they were read, or holds a unique key, and
    ///   the ``mergePolicy`` leaves it at that, or what the policy throws; ``StoreError``; or what
    ///   an accessor since the last save could not throw. Nothing was written then, and every
    ///   change is still pending: mend it and save again, or roll back.
    ///   ``PropertyError`` with code `recursiveSave` where a hook or an observer asks for it in the
    ///   middle of a save; that one goes on.
    public func save() throws {
        checkQueue()
        guard changedByHooks == nil else { throw PropertyError.savingAlready }
        // What the hooks change is undone together with what has led to the save.
        defer { recorder?.stack.closeEvent() }
        if hasChanges { followParent() }
        if let error = keptErrors.take() { throw error }
        guard hasChanges || !event.isEmpty else { return }
        try propagateDeletes()
        announceChanges()
        guard hasChanges else { return }
        changedByHooks = []
        defer { changedByHooks = nil }
        let changed = try callWillSave()
        // The hooks set properties, too.
        if let error = keptErrors.take() { throw error }
        let pending = try validate(changed)
        if let error = keptErrors.take() { throw error }
        guard parent == nil else { return try handOver(pending) }
        var resolving = ConflictResolving(self)
        let (builder, result) = try resolving.write(pending)
        // Who is told may change things, which are no part of what was written.
        let resolved = resolving.hasResolved ? takeEvent() : nil
        finish(builder, result, resolving, resolved)
    }

    /// Makes the changes the parent's.
    private func handOver(_ pending: [ManagedObject]) throws {
        let builder = build(pending)
        let save = ChildSave(builder)
        do {
            try parent?.onQueue { try $0.take(save, from: link) }
        } catch let error as StoreError where error.code == .mergeConflict {
            let gone = error.records.compactMap(held)
            throw SaveConflictError(
                mergeConflicts: try gone.map { try MergeConflict($0, nil) }, underlying: error)
        }
        finish(builder)
    }

    static let mostRounds = 1000

    /// Calls every changed object's hook; objects changed meanwhile get it again, until none is.
    ///
    /// - Returns: What is pending then.
    private func callWillSave() throws -> [ManagedObject] {
        post(.willSave, nil)
        var round = pending
        for _ in 0..<Self.mostRounds {
            for object in round { object.willSave() }
            guard let changed = try takeChangesByHooks() else { return pending }
            round = changed
        }
        throw endlessChanges(of: round.first, by: "willSave")
    }

    /// - Parameter hook: What changes the object in every one of many rounds.
    func endlessChanges(
        of object: ManagedObject?, by hook: String = "the validation"
    ) -> PropertyError {
        PropertyError(
            .endlessChanges,
            "Can't save because \(hook) changes objects without end; let it change only what "
                + "differs.", objectID: object?.objectID)
    }

    /// Ends the event that a save's hooks have made.
    ///
    /// - Returns: What they have changed since this was last called, also in events that a hook
    ///   has ended itself; `nil` where nothing has changed.
    func takeChangesByHooks() throws -> [ManagedObject]? {
        try propagateDeletes()
        announceChanges()
        var seen: Set<ManagedObject> = []
        let changed = (changedByHooks ?? []).filter { object in
            object.hasChanges && !object.flags.contains(.detached) && seen.insert(object).inserted
        }
        changedByHooks = []
        // Who was told may have changed something, too.
        return changed.isEmpty && event.touched.isEmpty ? nil : changed
    }

    /// - Parameter rewritten: Slots that are written though they are as in the store.
    func build(
        _ pending: [ManagedObject], rewriting rewritten: [ManagedObject: Set<Int>] = [:]
    ) -> SaveBuilder {
        var builder = SaveBuilder(
            pending, author: transactionAuthor, name: name, carriedGroups: carriedGroups)
        builder.rewrite(rewritten)
        if coordinator.plans.haveLists { builder.addLists() }
        builder.addAll()
        if !conflictChecks.isEmpty { builder.addChecks(of: conflictChecks) }
        return builder
    }

    /// - Throws: ``StoreError``, also for what a policy can settle; ``ValidationError``.
    func write(_ request: SaveRequest) throws -> SaveResult {
        do {
            return try coordinator.store.save(request)
        } catch let error as StoreError where error.code == .cyclicReference {
            throw ValidationError(
                cyclic: error, error.records.first.flatMap { registry[$0] }?.objectID)
        }
    }

    /// The changes are written: objects, identities and observers follow.
    ///
    /// - Parameter resolved: What the policy has done to objects, for observers.
    private func finish(
        _ builder: SaveBuilder, _ result: SaveResult? = nil, _ resolving: ConflictResolving? = nil,
        _ resolved: EndedEvent? = nil
    ) {
        let names = result?.renamed ?? [:]
        let saved = rename(names, mentionedBy: changed)
        let renamed = resolving?.renamed(with: saved) ?? saved
        let own = builder.changedRecords(names)
        settle(builder, result?.version)
        changedByHooks = nil
        // Who is told of the save reads what it has written.
        advanceGeneration()
        var records = result?.dot == nil ? own : refreshDerived(after: own)
        records.replaced = resolving?.replaced(with: renamed) ?? [:]
        noteSuccessions(records.replaced)
        if let resolved { announce(resolved) }
        for follower in followers.all { follower.contextDidSave() }
        if event.concernsRecords || !event.refreshed.isEmpty { announceChanges() }
        resolving?.awakeObjects()
        builder.forEachObject { $0.didSave() }
        var changes = objectIDChanges(own)
        changes.renamed = renamed
        changes.author = transactionAuthor
        if let result, result.dot != nil {
            changes.position = HistoryPosition(rawValue: result.version.position)
        }
        changes.updated.append(builder.unchanged.map(\.listItem), of: coordinator.origin)
        if let shown = result?.shown, !shown.isEmpty {
            // Whoever merges this by hand has to read them again.
            changes.refreshed = objectIDChanges(shown).updated
        }
        post(.didSave, changes) { builder.objects }
        children.enqueue { [records] in $0.mergeAutomatically(records) }
        guard let result, result.dot != nil else { return }
        coordinator.didSave(records, from: link)
        coordinator.postRemoteChange(at: result.version.position, author: transactionAuthor)
        guard !result.shown.isEmpty else { return }
        coordinator.didSave(result.shown, from: link)
        merge(result.shown, author: transactionAuthor)
    }

    /// - Parameter version: Of the written rows; `nil` where they are not written yet.
    private func settle(_ builder: SaveBuilder, _ version: RowVersion?) {
        builder.deleted.forEach { object in
            detach(object)
            object.flags.subtract([.deleted, .listed])
        }
        builder.inserted.forEach { settle($0, version ?? .none) }
        for group in builder.updated { group.forEach { settle($0, version ?? $0.version) } }
        builder.untouched.forEach { settle($0, $0.version) }
        // Those that have lost their changes since they were listed.
        if changed.count > builder.count {
            for object in changed { object.flags.subtract(.listed) }
        }
        for id in refaultedIDs { held(id)?.flags.subtract(.refault) }
        refaultedIDs = []
        changed = []
        counts = ChangeCounts()
        noteGone(deletedIDs)
        deletedIDs = []
        carriedGroups = [:]
        recorder?.saveCount += 1
        conflictChecks = []
        // Objects that didSave changes begin another event, and another save.
        for object in event.touched { object.flags.subtract([.noted, .writable, .born]) }
        event.touched = []
        primitives.settle()
    }

    private func settle(_ object: ManagedObject, _ version: RowVersion) {
        object.version = version
        object.committed = SlotStorage()
        object.writtenSlots = 0
        object.flags.subtract([.inserted, .updated, .listed, .noted, .writable, .born, .refault])
        registry.noteRecent(object.localID)
        if let table = object.relations {
            for index in table.states.indices { table.states[index].commit() }
        }
    }
}
