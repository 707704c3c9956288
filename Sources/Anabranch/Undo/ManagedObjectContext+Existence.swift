import AnabranchModel
import AnabranchReplication
import AnabranchStore

// What an undo does to objects as such.
extension ManagedObjectContext {
    /// Takes back a deletion that is not saved; those who mentioned the object do not yet.
    func undelete(_ object: ManagedObject) {
        recordChange(object)
        reclassify(object) { $0.subtract(.deleted) }
        unpropagated.removeAll { $0 === object }
        deletedIDs.remove(object.localID)
        event.broughtBack.insert(object)
    }

    /// Inserts an object again that has left, with its values and related to nobody.
    ///
    /// A record that was saved is not inserted a second time: the object gets another ID then. So
    /// it does in a context with a parent, which is not told what became of what it has saved.
    func reinsert(_ object: ManagedObject, _ recorder: ChangeRecorder) throws {
        let former = object.objectID
        // Whoever observes it knows it by its ID.
        object.reportChanges()
        if object.version != .none || parent != nil {
            object.localID = try takeNumber()
            recorder.rename([former.localID: object.localID])
            event.renamedObjects[former] = object.objectID
        }
        object.version = .none
        object.committed = SlotStorage()
        object.writtenSlots = 0
        object.relations = nil
        object.fillSlots()
        for relationship in object.home.plan.references { object.slots[relationship.slot] = .null }
        let kept = object.flags.intersection(.listed)
        let isObserved = object.flags.contains(.observed)
        for slot in object.home.plan.derivedSlots { object.slots[slot] = .null }
        object.flags = kept.union(object.home.plan.bornFlags)
        if isObserved { object.flags = object.flags.observed }
        let forgotten = registry.insert(object, for: object.localID)
        reclassify(object) { $0.insert(.inserted) }
        recordChange(object)
        withExtendedLifetime(forgotten) {}
    }

    /// Takes an object out of the context that was never saved. It keeps its values, and knows
    /// whom it was related to.
    func withdraw(_ object: ManagedObject) {
        recordChange(object)
        let gone: Set<LocalID> = [object.localID]
        for other in holders(of: object) where other !== object {
            if takeOut(gone, of: other) { touch(other) }
        }
        detach(object)
        object.flags.subtract(.deleted)
        event.vanished.append(object)
    }

    /// Those who may mention an object that was never saved: whom it mentions itself, and, where
    /// there are relationships without an inverse, whoever has changed since the last save.
    private func holders(of object: ManagedObject) -> [ManagedObject] {
        let plan = object.home.plan
        var ids: Set<LocalID> = []
        for relationship in plan.references {
            if case .integer(let id) = object.slots[relationship.slot] { ids.insert(id) }
        }
        for state in object.relations?.states ?? [] {
            ids.formUnion(state.added)
            ids.formUnion(state.members ?? [])
        }
        let mentioned = ids.compactMap(held)
        return coordinator.plans.haveOneWayRelationships ? mentioned + changed : mentioned
    }

    /// Sets a reference that a deletion had emptied as if it never had been.
    func fill(_ slot: Int, of object: ManagedObject, _ id: LocalID, isCommitted: Bool) {
        recordChange(object)
        keepEarlierValues(of: object)
        if isCommitted { recorder?.recordFilled(slot, of: object) }
        object.recordWrite(slot)
        if !isCommitted, object.committed.isEmpty {
            object.committed = SlotStorage(copying: object.slots)
        }
        object.reportChange(slot)
        object.slots[slot] = .integer(id)
        if isCommitted, !object.committed.isEmpty { object.committed[slot] = .integer(id) }
        guard !object.hasChanges else { return }
        if isCommitted { event.refreshed.append(object) } else { touch(object) }
    }
}
