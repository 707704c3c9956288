import AnabranchModel
import AnabranchReplication
import AnabranchStore

// Unsaved edits of an object that gets a newer row.
extension ManagedObjectContext {
    /// Gives an object a newer row. Values that were changed here stay, and of an attribute group
    /// all members.
    func merge(_ row: ObjectRow, into object: ManagedObject) {
        // A damaged store may have records of two entities under one ID.
        guard object.fits(row) else { return }
        let before = event.earlierValues[object] == nil ? [] : Array(object.slots.buffer)
        let hasEdits = !object.committed.isEmpty
        var slots = SlotStorage(row)
        recordOverlaidEdits(of: object, over: slots)
        object.version = row.version
        var committed = hasEdits ? SlotStorage(row) : SlotStorage()
        let plan = object.home.plan
        let kept = slotsKept(byGroupsOf: object)
        for slot in kept { object.recordWrite(slot) }
        for slot in plan.isRead.indices {
            // Transient values have no row to come from.
            let isTransient = !plan.isRead[slot]
            if isTransient, hasEdits { committed[slot] = object.committed[slot] }
            guard isTransient || object.isChangedSinceCommit(slot) || kept.contains(slot)
            else { continue }
            slots[slot] = object.valueToKeep(inSlot: slot, over: slots[slot])
        }
        // What was loaded still lacks what is deleted here.
        if deletedIDs.isEmpty || object.relations == nil { object.flags.subtract(.refault) }
        if hasEdits { rebaseReferences(of: object, on: &committed) }
        object.reportChanges(to: slots)
        object.committed = committed
        object.slots = slots
        object.flags.formUnion(.hasRow)
        if !deletedIDs.isEmpty { clearReferences(of: object, to: deletedIDs) }
        if !before.isEmpty { rebaseEarlierValues(of: object, before) }
    }

    /// Corrects the inverse of an edited reference whose stored target was changed by another save:
    /// the former stored target no longer lacks the object because of the edit, and a target that
    /// is stored now no longer has it because of the edit.
    private func rebaseReferences(of object: ManagedObject, on committed: inout SlotStorage) {
        for relationship in object.home.plan.references {
            let slot = relationship.slot
            let former = object.committed[slot]
            guard former != committed[slot], object.isChangedSinceCommit(slot) else { continue }
            if isHidden(committed[slot], by: relationship), former.isNull {
                // The reference was nil before the edit, and its stored target is deleted here.
                committed[slot] = .null
                recordIncomplete(object)
                continue
            }
            guard let inverse = relationship.inverse else { continue }
            change(inverse, at: former) { $0.removed.remove(object.localID) }
            guard committed[slot] == object.slots[slot] else { continue }
            change(inverse, at: committed[slot]) { $0.added.remove(object.localID) }
        }
    }

    /// True if a reference reads as nil because its target is deleted here.
    private func isHidden(_ value: PropertyValue, by relationship: RelationshipDescription) -> Bool
    {
        guard !deletedIDs.isEmpty, case .integer(let id) = value else { return false }
        return deletedIDs.contains(id) && !relationship.keepsTarget
    }

    /// Takes values of a newer row into the values from before the event, so that they do not count
    /// as changes of the event.
    func rebaseEarlierValues(of object: ManagedObject, _ before: [PropertyValue]) {
        guard var earlier = event.earlierValues[object], earlier.count == before.count else {
            return
        }
        for slot in earlier.indices where earlier[slot] == before[slot] {
            earlier[slot] = object.slots[slot]
        }
        event.earlierValues[object] = earlier
    }

    /// Makes the object read its members again. Members that were added or removed here stay so.
    func unloadRelations(of object: ManagedObject) {
        guard let table = object.relations else { return }
        table.fetched = [:]
        for (index, relationship) in object.home.plan.relations.enumerated()
        where table.states[index].members != nil && !keepsMembers(object, relationship) {
            table.states[index].unload()
            object.reportChange(relationship.slot)
        }
    }
}

extension ManagedObject {
    /// The value of an unsaved edit over a newer row: the edited value, or for a counter the newer
    /// value plus what the edit added.
    fileprivate final func valueToKeep(inSlot slot: Int, over newer: PropertyValue) -> PropertyValue
    {
        guard let delta = delta(inSlot: slot) else { return slots[slot] }
        return Counter.sum(newer, delta, of: entity.slots[slot].wireProperty.type)
    }

    /// The number that an unsaved edit has added to a counter; `nil` if there is no edit, or if it
    /// set null.
    final func delta(inSlot slot: Int) -> PropertyValue? {
        let property = entity.slots[slot].wireProperty
        guard property.rule == .counter, !committed.isEmpty else { return nil }
        return Counter.delta(from: committed[slot], to: slots[slot], of: property.type)
    }

    /// The value of a counter after another save has added a number to it.
    final func sum(with delta: PropertyValue, inSlot slot: Int) -> PropertyValue {
        Counter.sum(slots[slot], delta, of: entity.slots[slot].wireProperty.type)
    }
}
