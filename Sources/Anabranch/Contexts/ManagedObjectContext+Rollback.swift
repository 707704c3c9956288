import AnabranchModel
import AnabranchReplication
import AnabranchStore

extension ManagedObjectContext {
    /// Takes back everything since the last save: insertions, changes and deletions.
    public func rollback() {
        checkQueue()
        keptErrors.removeAll()
        forgetUndo()
        carriedGroups = [:]
        conflictChecks = []
        let objects = changed
        let refaulted = refaultedIDs
        changed = []
        unpropagated = []
        deletedIDs = []
        incompletelyCleared = []
        refaultedIDs = []
        event.touched = []
        event.earlierValues = [:]
        for object in objects where !object.flags.contains(.detached) { takeBack(object) }
        for object in objects {
            object.flags.subtract([.listed, .noted, .born])
            registry.noteRecent(object.localID)
        }
        counts = ChangeCounts()
        for object in primitives.removeAll() where !object.committed.isEmpty { takeBack(object) }
        for object in refaulted.compactMap(held) where object.flags.contains(.refault) {
            turnIntoFault(object)
        }
        for object in objects where object.flags.isDisjoint(with: [.detached, .deleted]) {
            if !object.isFault { object.awake(fromSnapshotEvents: .rollback) }
        }
        announceChanges()
    }

    private func takeBack(_ object: ManagedObject) {
        object.noteChanges()
        if object.flags.contains(.inserted) {
            detach(object)
            object.flags.subtract(.deleted)
            event.invalidated.append(object)
            return
        }
        unloadFormerOwners(of: object)
        if !object.committed.isEmpty { swap(&object.slots, &object.committed) }
        object.committed = SlotStorage()
        object.writtenSlots = 0
        object.relations = nil
        object.flags.subtract([.updated, .deleted, .writable])
        if object.flags.contains(.refault) {
            turnIntoFault(object)
        } else {
            event.refreshed.append(object)
        }
    }

    /// Whoever has read its members when an edit had led the object away from it lacks it.
    private func unloadFormerOwners(of object: ManagedObject) {
        guard !object.committed.isEmpty else { return }
        for relationship in object.home.plan.references
        where object.isChangedSinceCommit(relationship.slot) {
            guard case .integer(let id) = object.committed[relationship.slot],
                let owner = held(id), let inverse = relationship.inverse,
                let index = owner.home.plan.relationIndex(of: inverse),
                let members = owner.relations?.states[index].members,
                !members.contains(object.localID)
            else { continue }
            owner.relations?.states[index].members = nil
            owner.noteChange(inverse.slot)
        }
    }

    /// Forgets every object. Those that are still held have lost their values and their context.
    public func reset() {
        checkQueue()
        advanceGeneration()
        let objects = registry.values
        let ids = objects.map(\.objectID)
        for object in objects { object.noteChanges() }
        registry = IdentityMap()
        forgetHomes()
        for object in objects {
            object.flags = [.detached]
            object.slots = SlotStorage()
            object.committed = SlotStorage()
            object.writtenSlots = 0
            object.relations = nil
        }
        changed = []
        unpropagated = []
        deletedIDs = []
        incompletelyCleared = []
        goneIDs = []
        refaultedIDs = []
        counts = ChangeCounts()
        keptErrors.removeAll()
        forgetUndo()
        carriedGroups = [:]
        _ = primitives.removeAll()
        conflictChecks = []
        event = EventChanges()
        event.invalidatedAll = ids
        for follower in followers.all { follower.contextWasReset() }
        announceChanges()
    }

    /// Empties an object until it is read again.
    func turnIntoFault(_ object: ManagedObject) {
        let wasRealised = object.flags.contains(.realised)
        if wasRealised {
            object.flags.formUnion(.inTransition)
            object.willTurnIntoFault()
        }
        object.noteChanges()
        // A fault without a row is listed already.
        if object.flags.contains(.hasRow) { object.home.noteFault(object.localID) }
        object.slots = SlotStorage()
        object.committed = SlotStorage()
        object.writtenSlots = 0
        object.relations = nil
        object.flags.subtract([.realised, .hasRow, .writable, .refault])
        primitives.remove(object)
        event.noteRefreshed(object)
        if wasRealised {
            object.didTurnIntoFault()
            object.flags.subtract(.inTransition)
        }
    }
}
