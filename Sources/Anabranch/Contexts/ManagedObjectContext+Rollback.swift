import AnabranchModel
import AnabranchReplication
import AnabranchStore

extension ManagedObjectContext {
    /// Discards all changes since the last save: insertions, updates and deletions.
    ///
    /// Changed objects get the values that were last read, at both ends of their relationships.
    /// They do not get what another context has saved since; ``refreshAllObjects()`` reads that.
    ///
    /// These are read from the store again instead:
    ///
    /// - deleted objects
    /// - objects that had lost a deleted object from a relationship
    /// - the members of lists that were changed
    ///
    /// Changes that `willTurnIntoFault` and `didTurnIntoFault` make to other objects are pending
    /// afterwards, like any other change.
    public func rollback() {
        checkQueue()
        rollbackCount += 1
        keptErrors.removeAll()
        forgetUndo()
        carriedGroups = [:]
        overlaidEdits = OverlaidEdits()
        conflictChecks = []
        let objects = changed
        let refaulted = refaultedIDs
        changed = []
        pendingKeys = PendingKeys()
        unpropagated = []
        deletedIDs = []
        incompletelyCleared = []
        refaultedIDs = []
        // Whatever is called from here on may begin a new change of any of them.
        for object in objects + event.touched {
            object.flags.subtract([.listed, .recordedInEvent, .insertedInEvent, .writable])
        }
        event.touched = []
        event.earlierValues = [:]
        let written = primitives.removeAll()
        takeBack(objects.filter { !$0.flags.contains(.detached) })
        for object in objects { registry.markRecent(object.localID) }
        takeBack(written.filter { !$0.committed.isEmpty })
        for object in objects + refaulted.compactMap(held)
        where object.flags.contains(.refault) {
            readAgain(object)
        }
        for object in objects where object.flags.isDisjoint(with: [.detached, .deleted]) {
            if !object.isFault { object.wake(by: .rollback) }
        }
        announceChanges()
    }

    private func takeBack(_ objects: [ManagedObject]) {
        for object in objects {
            object.reportChanges()
            if !object.flags.contains(.inserted) { object.takeBackRelations() }
        }
        for object in objects { takeBack(object) }
    }

    private func takeBack(_ object: ManagedObject) {
        if object.flags.contains(.inserted) {
            detach(object)
            object.flags.subtract(.deleted)
            event.invalidated.append(object)
            return
        }
        returnToFormerOwners(of: object)
        if !object.committed.isEmpty { swap(&object.slots, &object.committed) }
        object.committed = SlotStorage()
        object.writtenSlots = 0
        object.flags.subtract(.writable)
        // Nobody has told it who is gone meanwhile.
        if object.flags.contains(.deleted) { object.flags.formUnion(.refault) }
        reclassify(object) { $0.subtract([.updated, .deleted]) }
        if !object.flags.contains(.refault) { event.refreshed.append(object) }
    }

    /// An object that lacks what was deleted becomes a fault; one that was changed again meanwhile
    /// keeps the change.
    private func readAgain(_ object: ManagedObject) {
        guard object.hasChanges else { return turnIntoFault(object) }
        do {
            try refreshMerging([object])
        } catch {
            keep(error)
        }
    }

    /// Whoever has read its members when an edit had led the object away from it lacks it.
    func returnToFormerOwners(of object: ManagedObject) {
        guard !object.committed.isEmpty else { return }
        for relationship in object.home.plan.references
        where object.isChangedSinceCommit(relationship.slot) {
            guard case .integer(let id) = object.committed[relationship.slot],
                let owner = held(id), let inverse = relationship.inverse,
                let index = owner.home.plan.relationIndex(of: inverse),
                let members = owner.relations?.states[index].members,
                !members.contains(object.localID)
            else { continue }
            owner.relations?.states[index].readmit(object.localID)
            owner.reportChange(inverse.slot)
        }
    }

    /// Forgets every object. Objects that the app still holds have lost their values and their
    /// context.
    public func reset() {
        checkQueue()
        rollbackCount += 1
        advanceGeneration()
        let objects = registry.values
        let ids = objects.map(\.objectID)
        for object in objects { object.reportChanges() }
        registry = IdentityMap()
        forgetPrefetched()
        forgetHomes()
        for object in objects {
            object.flags = [.detached]
            object.slots = SlotStorage()
            object.committed = SlotStorage()
            object.writtenSlots = 0
            object.relations = nil
        }
        changed = []
        pendingKeys = PendingKeys()
        unpropagated = []
        deletedIDs = []
        incompletelyCleared = []
        goneIDs = []
        refaultedIDs = []
        successions.forgetAll()
        counts = ChangeCounts()
        keptErrors.removeAll()
        forgetUndo()
        carriedGroups = [:]
        overlaidEdits = OverlaidEdits()
        _ = primitives.removeAll()
        conflictChecks = []
        event = EventChanges()
        event.invalidatedAll = ids
        for follower in followers.all { follower.contextWasReset() }
        announceChanges()
    }

    /// Empties an object until it is read again.
    func turnIntoFault(_ object: ManagedObject) {
        let wasRealised = object.flags.contains(.isFired)
        if wasRealised {
            object.flags.formUnion(.inTransition)
            object.willTurnIntoFault()
        }
        object.reportChanges()
        // A fault without a row is listed already.
        if object.flags.contains(.hasRow) { object.home.addFault(object.localID) }
        object.slots = SlotStorage()
        object.committed = SlotStorage()
        object.writtenSlots = 0
        forgetRelations(of: object)
        object.flags.subtract([.isFired, .hasRow, .writable, .refault])
        primitives.remove(object)
        event.addRefreshed(object)
        if wasRealised {
            object.didTurnIntoFault()
            object.flags.subtract(.inTransition)
        }
    }
}

extension ManagedObjectContext {
    /// Drops an object's relationships. The objects at the other end of transient ones lose it
    /// too, because no store relates them again.
    private func forgetRelations(of object: ManagedObject) {
        guard let table = object.relations else { return }
        object.relations = nil
        for (index, relationship) in object.home.plan.relations.enumerated()
        where relationship.isTransient {
            guard let inverse = relationship.inverse else { continue }
            let state = table.states[index]
            for id in state.removed.union(state.members ?? []) {
                change(inverse, at: .integer(id)) { _ = $0.forget([object.localID]) }
            }
        }
    }
}

extension ManagedObject {
    /// Relationships that were read have the members again that they were read with. Those of
    /// somebody deleted did not follow what others have saved since, and are asked for anew.
    fileprivate final func takeBackRelations() {
        if flags.contains(.deleted) { relations = nil }
        guard let relations else { return }
        for index in relations.states.indices where !relations.states[index].takeBack() {
            let isListed = relations.states[index].isListed
            relations.states[index] = RelationState(
                home.plan.relations[index], isListed: isListed)
        }
    }
}
