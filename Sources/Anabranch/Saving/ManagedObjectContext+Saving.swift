import AnabranchModel
import AnabranchReplication
import AnabranchStore

extension ManagedObjectContext {
    /// Writes all changes in one transaction and as one change set.
    ///
    /// Without changes it does nothing. Otherwise it takes these steps:
    ///
    /// 1. It applies the delete rules and posts ``objectsDidChange``.
    /// 2. It posts ``willSave`` and calls every object's `willSave`; objects that change meanwhile
    ///    get another call, until none does.
    /// 3. It validates every object: deleted ones, then inserted ones, then updated ones. Objects
    ///    that a validation changes are validated again.
    /// 4. It writes everything.
    /// 5. It calls every object's `didSave`.
    /// 6. It posts ``didSave`` and ``didSaveObjectIDs``.
    ///
    /// A context with a parent passes its changes to the parent in memory. They are validated
    /// here, become unsaved changes of the parent, and are written with the parent's save. An
    /// object that the parent has deleted meanwhile is a conflict under every policy. If the
    /// parent knows that another record has replaced an object's record, the changes go to that
    /// record, as if the child had merged the replacement.
    ///
    /// - Throws: ``ValidationError`` with every failure; ``SaveConflictError`` if the same records
    ///   were changed or deleted in the store since they were read, or a unique key is taken, and
    ///   the ``mergePolicy`` does not resolve it; the error of the policy; `StoreError`; an error
    ///   that an accessor since the last save could not throw. Nothing was written then, and every
    ///   change is still pending: correct the cause and save again, or roll back.
    ///   ``PropertyError`` with code `recursiveSave` if a hook or an observer calls it during a
    ///   save, which continues.
    public func save() throws {
        checkQueue()
        guard changedByHooks == nil else { throw PropertyError.savingAlready }
        // Changes made by hooks are undone together with the changes that led to the save.
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
        // The hooks also use accessors.
        if let error = keptErrors.take() { throw error }
        let pending = try validate(changed)
        if let error = keptErrors.take() { throw error }
        guard parent == nil else { return try handOver(pending) }
        var resolving = ConflictResolving(self)
        let (builder, result) = try resolving.write(pending)
        // Observers and hooks may change things that are not part of what was written.
        let resolved = resolving.hasResolved ? takeEvent() : nil
        finish(builder, result, resolving, resolved)
    }

    /// Passes the changes to the parent context.
    private func handOver(_ pending: [ManagedObject]) throws {
        let builder = build(pending)
        let save = ChildSave(builder, overlaidEdits)
        do {
            try parent?.onQueue { try $0.take(save, from: link) }
        } catch let error as StoreError where error.code == .mergeConflict {
            let gone = error.records.compactMap(held)
            throw SaveConflictError(
                mergeConflicts: try gone.map { try MergeConflict($0, nil) }, underlying: error)
        }
        finish(builder)
    }

    /// Calls `willSave` of every changed object. Objects that change meanwhile get another call,
    /// until none does.
    ///
    /// - Returns: The objects that are pending then.
    private func callWillSave() throws -> [ManagedObject] {
        postWillSave()
        var round = pending
        for _ in 0..<Self.maximumRounds {
            for object in round { object.willSave() }
            guard let changed = try takeChangesByHooks() else { return pending }
            round = changed
        }
        throw endlessChanges(of: round.first, by: "willSave")
    }

    /// - Parameter hook: The hook that changes the object in every one of many rounds.
    func endlessChanges(
        of object: ManagedObject?, by hook: String = "the validation"
    ) -> PropertyError {
        PropertyError(
            .endlessChanges,
            "Can't save because \(hook) changes objects in every round; let it change a "
                + "property only if the value differs.", objectID: object?.objectID)
    }

    /// Ends the event in which a save's hooks made changes.
    ///
    /// - Returns: The objects that they changed since the last call, also in events that a hook
    ///   ended itself; `nil` if nothing has changed.
    func takeChangesByHooks() throws -> [ManagedObject]? {
        try propagateDeletes()
        announceChanges()
        guard changedByHooks?.isEmpty == false || !event.touched.isEmpty else { return nil }
        var seen: Set<ManagedObject> = []
        let changed = (changedByHooks ?? []).filter { object in
            object.hasChanges && !object.flags.contains(.detached) && seen.insert(object).inserted
        }
        changedByHooks = []
        // An observer may have changed something too.
        return changed.isEmpty && event.touched.isEmpty ? nil : changed
    }

    /// - Parameters:
    ///   - rewritten: Slots that are written even if they have the store's value.
    ///   - isResolved: True if the policy has decided on the conflicts of the save.
    func build(
        _ pending: [ManagedObject], rewriting rewritten: [ManagedObject: Set<Int>] = [:],
        isResolved: Bool = false
    ) -> SaveBuilder {
        var builder = SaveBuilder(
            pending, author: transactionAuthor, name: name, carriedGroups: carriedGroups)
        builder.rewrite(rewritten)
        builder.addSeenVersions(
            overlaidEdits, isRefusing: treatsMergedChangesAsConflicts && !isResolved)
        if coordinator.plans.haveLists { builder.addLists() }
        builder.addAll()
        if !conflictChecks.isEmpty { builder.addChecks(of: conflictChecks) }
        return builder
    }

    /// - Throws: `StoreError`, also for conflicts that a policy can resolve; ``ValidationError``.
    func write(_ request: SaveRequest) throws -> SaveResult {
        do {
            return try coordinator.store.save(request)
        } catch let error as StoreError where error.code == .cyclicReference {
            throw ValidationError(
                cyclic: error, error.records.first.flatMap { registry[$0] }?.objectID)
        }
    }

    /// Finishes a save after the changes were written: updates objects and identities, and
    /// notifies observers.
    ///
    /// - Parameter resolved: The changes that the policy has made to objects, for observers.
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
        // Observers of the save read what it has written.
        storeStateNumber += 1
        advanceGeneration()
        var records = result?.isWritten != true ? own : refreshDerived(after: own)
        records.replaced = resolving?.replaced(with: renamed) ?? [:]
        recordReplacements(records.replaced)
        if let resolved { announce(resolved) }
        for follower in followers.all { follower.contextDidSave() }
        if event.concernsRecords || !event.refreshed.isEmpty { announceChanges() }
        resolving?.awakeObjects()
        builder.forEachObject { $0.didSave() }
        if isObserved(.didSave) {
            post(
                .didSave, { changes(own, renamed: renamed, builder, result) },
                among: { builder.objects })
        }
        children.forEach { link in link.enqueue { [records] in $0.mergeAutomatically(records) } }
        guard let result, result.isWritten else { return }
        coordinator.didSave(records, from: link)
        coordinator.postRemoteChange(at: result.version.position, author: transactionAuthor)
        if !result.conflicts.isEmpty { coordinator.didRecord(result.conflicts, on: queue) }
        guard !result.shown.isEmpty else { return }
        coordinator.didSave(result.shown, from: link)
        merge(result.shown, author: transactionAuthor)
    }

    /// Returns the changes of a save for its observers.
    private func changes(
        _ records: ChangedRecords, renamed: [ManagedObjectID: ManagedObjectID],
        _ builder: SaveBuilder, _ result: SaveResult?
    ) -> ObjectIDChanges {
        var changes = objectIDChanges(records)
        changes.renamed = renamed
        changes.author = transactionAuthor
        if let result, result.isWritten {
            changes.position = HistoryPosition(rawValue: result.version.position)
        }
        changes.updated.append(builder.unchanged.map(\.listItem), of: coordinator.origin)
        if let shown = result?.shown, !shown.isEmpty {
            // A context that merges this notification by hand has to read these objects again.
            changes.refreshed = objectIDChanges(shown).updated
        }
        return changes
    }

    /// Marks the objects of a save as saved, and forgets the changes of the context.
    ///
    /// - Parameter version: The version of the rows that the save wrote. It is `nil` if the save
    ///   went to the parent context, which has not written the rows yet.
    private func settle(_ builder: SaveBuilder, _ version: RowVersion?) {
        builder.deleted.forEach { object in
            detach(object)
            object.flags.subtract([.deleted, .listed])
        }
        let links = version ?? .unknown
        builder.inserted.forEach { settle($0, version ?? .none, links) }
        for group in builder.updated { group.forEach { settle($0, version ?? $0.version, links) } }
        builder.untouched.forEach { settle($0, $0.version, links) }
        // Objects that have lost their changes since they were listed.
        if changed.count > builder.count {
            for object in changed { object.flags.subtract(.listed) }
        }
        for id in refaultedIDs { held(id)?.flags.subtract(.refault) }
        refaultedIDs = []
        changed = []
        pendingKeys = PendingKeys()
        counts = ChangeCounts()
        recordGone(deletedIDs)
        deletedIDs = []
        carriedGroups = [:]
        overlaidEdits = OverlaidEdits()
        recorder?.saveCount += 1
        conflictChecks = []
        // Objects that `didSave` changes begin another event and need another save.
        for object in event.touched {
            object.flags.subtract([.recordedInEvent, .writable, .insertedInEvent])
        }
        event.touched = []
        primitives.settle()
    }

    /// - Parameters:
    ///   - version: The version of the object's row.
    ///   - links: The version of the links that the save has added.
    private func settle(_ object: ManagedObject, _ version: RowVersion, _ links: RowVersion) {
        object.version = version
        object.committed = SlotStorage()
        object.writtenSlots = 0
        object.flags.subtract([
            .inserted, .updated, .listed, .recordedInEvent, .writable, .insertedInEvent, .refault,
            .keyed,
        ])
        registry.markRecent(object.localID)
        if let table = object.relations {
            for index in table.states.indices { table.states[index].commit(in: links) }
        }
    }
}
