import AnabranchModel
import AnabranchReplication
import AnabranchStore

// Unsaved edits of an object that gets a newer row.
extension ManagedObjectContext {
    /// Gives an object a newer row; what was changed here stays changed, of a group all of it.
    func merge(_ row: ObjectRow, into object: ManagedObject) {
        object.version = row.version
        let before = event.earlierValues[object] == nil ? [] : Array(object.slots.buffer)
        let hasEdits = !object.committed.isEmpty
        var slots = SlotStorage(row)
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

    /// Where others have led an edited reference elsewhere, who had lost the object by the edit, or
    /// got it, has not any more.
    private func rebaseReferences(of object: ManagedObject, on committed: inout SlotStorage) {
        for relationship in object.home.plan.references {
            let slot = relationship.slot
            let former = object.committed[slot]
            guard former != committed[slot], object.isChangedSinceCommit(slot) else { continue }
            if isHidden(committed[slot], by: relationship), former.isNull {
                // The edit was made where the reference led to nobody, and it does still.
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

    /// Whether a reference is read as nobody because its target is deleted here.
    private func isHidden(_ value: Value, by relationship: RelationshipDescription) -> Bool {
        guard !deletedIDs.isEmpty, case .integer(let id) = value else { return false }
        return deletedIDs.contains(id) && !relationship.keepsTarget
    }

    /// What a newer row has brought in the middle of an event is no change of the event.
    func rebaseEarlierValues(of object: ManagedObject, _ before: [Value]) {
        guard var earlier = event.earlierValues[object], earlier.count == before.count else {
            return
        }
        for slot in earlier.indices where earlier[slot] == before[slot] {
            earlier[slot] = object.slots[slot]
        }
        event.earlierValues[object] = earlier
    }

    /// Members are asked for anew; what was added and removed here stays so.
    func unloadRelations(of object: ManagedObject) {
        guard let table = object.relations else { return }
        for (index, relationship) in object.home.plan.relations.enumerated()
        where table.states[index].members != nil && !keepsMembers(object, relationship) {
            table.states[index].members = nil
            object.reportChange(relationship.slot)
        }
    }
}

extension ManagedObject {
    /// What an unsaved edit is over a newer row: itself, of a counter what it added to the old one.
    fileprivate final func valueToKeep(inSlot slot: Int, over newer: Value) -> Value {
        guard let delta = delta(inSlot: slot) else { return slots[slot] }
        return Counter.sum(newer, delta, of: entity.slots[slot].wireProperty.type)
    }

    /// What an unsaved edit has added to a counter; `nil` where there is none, or it set null.
    final func delta(inSlot slot: Int) -> Value? {
        let property = entity.slots[slot].wireProperty
        guard property.rule == .counter, !committed.isEmpty else { return nil }
        return Counter.delta(from: committed[slot], to: slots[slot], of: property.type)
    }

    /// What a counter comes to with what somebody else has added to it.
    final func sum(with delta: Value, inSlot slot: Int) -> Value {
        Counter.sum(slots[slot], delta, of: entity.slots[slot].wireProperty.type)
    }
}
