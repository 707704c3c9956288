import AnabranchModel
import AnabranchReplication
import AnabranchStore

extension ManagedObjectContext {
    /// Updates an object to the store's state.
    ///
    /// - Parameters:
    ///   - object: An object of this context.
    ///   - mergeChanges: If it is true, the row is read again and the unsaved changes are applied
    ///     on top. If a member of an attribute group has an unsaved change, all members keep their
    ///     values here, and the next save writes them, because they were read and set together. If
    ///     the row is gone, the object leaves the context as deleted, with its changes. An object
    ///     without changes becomes a fault. If it is false, the unsaved changes are discarded and
    ///     the object becomes a fault; an object that was never saved leaves the context.
    /// - Throws: `StoreError`, with the object unchanged; ``PropertyError`` with code
    ///   `foreignObject` for an object of another context. An object that is known to be deleted
    ///   is not changed and causes no error.
    public func refresh(_ object: ManagedObject, mergeChanges: Bool) throws {
        checkQueue()
        guard object.home.context === self else { throw foreign(object, to: "refresh") }
        followParent()
        guard !object.flags.contains(.detached) else { return }
        if mergeChanges {
            try refreshMerging([object])
        } else {
            try withoutUndo { try discardChanges(of: object) }
        }
        scheduleProcessing()
    }

    /// Updates every registered object to the store's state and keeps unsaved changes, like
    /// ``refresh(_:mergeChanges:)``.
    ///
    /// - Throws: `StoreError`.
    public func refreshAllObjects() throws {
        checkQueue()
        followParent()
        releaseUnused()
        try refreshMerging(registry.values)
        scheduleProcessing()
    }

    /// - Parameter rows: Those that were read already.
    func refreshMerging(_ objects: [ManagedObject], _ rows: [LocalID: RowCopy] = [:]) throws {
        recorder?.mergeCount += 1
        var dirty: [LocalID: ManagedObject] = [:]
        var refreshed: [ManagedObject] = []
        for object in objects where !object.flags.contains(.inserted) {
            if object.hasChanges {
                dirty[object.localID] = object
            } else {
                turnIntoFault(object)
            }
        }
        var gone = Set(dirty.keys)
        func take(_ row: ObjectRow) {
            guard let object = dirty[row.id] else { return }
            guard object.flags.contains(.hasRow) || object.fits(row) else { return }
            gone.remove(row.id)
            if object.flags.contains(.hasRow) {
                merge(row, into: object)
            } else {
                adopt(row, by: object)
            }
            unloadRelations(of: object)
            refreshed.append(object)
        }
        withExtendedLifetime(rows) {
            for (_, row) in rows.sorted(by: { $0.key < $1.key }) {
                take(.lent(.passUnretained(row)))
            }
        }
        let unread = rows.isEmpty ? dirty : dirty.filter { rows[$0.key] == nil }
        for (entity, group) in Dictionary(grouping: unread.values, by: \.entity) {
            try readRows(of: entity, ids: group.map(\.localID).sorted(), take)
        }
        event.refreshed += refreshed
        let rowless = gone.compactMap { dirty[$0] }.filter { !$0.flags.contains(.hasRow) }
        gone.subtract(rowless.map(\.localID))
        gone.formUnion(try dismissImpostors(among: rowless).map(\.localID))
        let mentioning = forget(
            Dictionary(grouping: gone.compactMap { dirty[$0] }, by: \.entity).mapValues {
                $0.map(\.localID)
            })
        settleReferences(of: mentioning, to: gone)
        awake(refreshed)
    }

    /// Tells objects that they have newer values.
    func awake(_ refreshed: [ManagedObject]) {
        for object in refreshed
        where !object.isFault && object.flags.isDisjoint(with: [.deleted, .detached]) {
            object.wake(by: .refresh)
        }
    }

    /// Those of some objects whose rows the store does not have any more.
    func gone(among objects: [ManagedObject]) throws -> [ManagedObject] {
        var held: Set<LocalID> = []
        for (entity, group) in Dictionary(grouping: objects, by: \.entity) {
            let ids = group.map(\.localID).sorted()
            try readRows(of: entity, ids: ids) { held.insert($0.id) }
        }
        return objects.filter { !held.contains($0.localID) }
    }

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
