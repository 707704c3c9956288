import AnabranchModel
import AnabranchReplication
import AnabranchStore

extension ManagedObjectContext {
    /// Takes back everything since the last save: insertions, changes and deletions.
    public func rollback() {
        checkQueue()
        keptErrors.removeAll()
        carriedGroups = [:]
        let objects = changed
        let hadDeletions = !deletedIDs.isEmpty
        changed = []
        unpropagated = []
        deletedIDs = []
        event.touched = []
        for object in objects where !object.flags.contains(.detached) { takeBack(object) }
        for object in objects { object.flags.subtract([.listed, .noted, .born]) }
        counts = ChangeCounts()
        if hadDeletions {
            for object in registry.values where object.flags.contains(.refault) {
                turnIntoFault(object)
            }
        }
        announceChanges()
    }

    private func takeBack(_ object: ManagedObject) {
        if object.flags.contains(.inserted) {
            detach(object)
            object.flags.subtract(.deleted)
            event.invalidated.append(object)
            return
        }
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

    /// Forgets every object. Those that are still held have lost their values and their context.
    public func reset() {
        checkQueue()
        let objects = registry.values
        let ids = objects.map(\.objectID)
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
        counts = ChangeCounts()
        keptErrors.removeAll()
        carriedGroups = [:]
        event = EventChanges()
        event.invalidatedAll = ids
        for follower in followers.all { follower.contextWasReset() }
        announceChanges()
    }

    /// Empties an object until it is read again.
    func turnIntoFault(_ object: ManagedObject) {
        let wasRealised = object.flags.contains(.realised)
        if wasRealised { object.willTurnIntoFault() }
        object.slots = SlotStorage()
        object.committed = SlotStorage()
        object.writtenSlots = 0
        object.relations = nil
        object.flags.subtract([.realised, .hasRow, .writable, .refault])
        object.home.faults.append(object.localID)
        event.refreshed.append(object)
        if wasRealised { object.didTurnIntoFault() }
    }
}
