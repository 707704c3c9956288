import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// Takes one step back: what it has changed, and no more.
///
/// First comes back what was there, then goes what was deleted, then properties, links and lists
/// get what they had, and last goes what was not there: so that nobody leads to it any more whom
/// its delete rules could reach. All of it is recorded as any other change, which is the step of
/// the redo.
struct Undoing {
    let step: UndoStep
    let context: ManagedObjectContext
    let recorder: ChangeRecorder
    /// Objects that are there again, and those whose properties were written.
    var broughtBack: [ManagedObject] = []
    /// Of objects whose deletion is taken back after a merge, who was related to them.
    var formerMembers: [ManagedObject: Set<LocalID>] = [:]
    /// Of their lists, the order and what edits have placed there.
    var formerLists: [ListKey: ListOrigin] = [:]
    private var updated: Set<ManagedObject> = []
    /// Who was not there before.
    let leaving: Set<ManagedObject>
    /// Who was not there before and is the record of somebody else by now. Whom that is linked to
    /// is for the step that has made it so.
    private let adopted: Set<ManagedObject>

    init(_ step: UndoStep, in context: ManagedObjectContext, _ recorder: ChangeRecorder) {
        self.step = step
        self.context = context
        self.recorder = recorder
        let new = Set(step.parts.filter { $0.origin.existence == .absent }.map(\.object))
        adopted = new.filter(recorder.isAdopted)
        leaving = new.subtracting(adopted)
    }

    /// Whether nothing was saved since the step was made: then what it is undone to is, as far as
    /// this context is concerned, what was unsaved before.
    var isSameSave: Bool { step.saveCount == recorder.saveCount }
    var isSameMerge: Bool { step.mergeCount == recorder.mergeCount }

    /// - Throws: ``StoreError``; what was taken back until then is.
    mutating func run() throws {
        try bringBack()
        try writeBackLinks(thatWereAdded: true)
        try deleteAgain()
        for part in step.parts where part.origin.existence != .absent && isLive(part.object) {
            try writeBack(part)
        }
        try writeBackLinks(thatWereAdded: false)
        try restorePlaces()
        for list in step.lists { try writeBack(list) }
        for part in step.parts where part.origin.existence == .absent { remove(part.object) }
        for part in step.parts { settle(part) }
        for object in broughtBack { object.wake(by: .undoDeletion) }
        for part in step.parts where updated.contains(part.object) && isLive(part.object) {
            part.object.wake(by: .undoUpdate)
        }
    }

    func isLive(_ object: ManagedObject) -> Bool {
        object.flags.isDisjoint(with: [.deleted, .detached])
    }

    /// The object of a record, if it is still there.
    func live(_ id: LocalID, of destination: EntityDescription) throws -> ManagedObject? {
        let id = recorder.current(id)
        if let object = context.held(id, of: destination) { return isLive(object) ? object : nil }
        return try context.objects([id], of: destination).first.flatMap { isLive($0) ? $0 : nil }
    }

    /// Whom a reference may lead to: an object that is there, and one whose deletion may still be
    /// denied.
    func target(
        _ id: LocalID, of relationship: RelationshipDescription
    ) throws -> ManagedObject? {
        if relationship.keepsTarget,
            let object = context.held(recorder.current(id), of: relationship.destination),
            object.flags.contains(.deleted), object.flags.isDisjoint(with: [.inserted, .detached])
        {
            return object
        }
        return try live(id, of: relationship.destination)
    }

    private func deleteAgain() throws {
        let objects = step.parts.filter { $0.origin.existence == .deleted && isLive($0.object) }
        guard !objects.isEmpty else { return }
        // Cascades may reach those who were not there before.
        try leaveFirst(Set((objects.map(\.object) + leaving).map(\.localID)))
        for part in objects { context.delete(part.object) }
        if context.propagatesDeletesAtEndOfEvent { try context.propagateDeletes() }
    }
}

// Properties.
extension Undoing {
    private mutating func writeBack(_ part: UndoStep.Part) throws {
        guard !part.slots.isEmpty || part.hasOtherGroups else { return }
        let object = part.object
        do {
            try object.fireFaultOrThrow()
            for (slot, before, after) in part.slots {
                if let relationship = object.entity.slots[slot].relationship {
                    let isDoomed = part.doomedSlots.contains(slot)
                    try writeBack(before, to: relationship, of: object, isDoomed)
                    continue
                }
                let value = object.value(undoing: after, to: before, inSlot: slot)
                if object.slots[slot] != value { object.write(value, to: slot) }
            }
        } catch is PropertyError {
            // Somebody else has deleted it.
            return
        }
        if part.hasOtherGroups, isSameSave || part.origin.carriedGroups != nil {
            context.touch(object)
            context.carriedGroups[object] = part.origin.carriedGroups
            // What is set whole is written, whichever of its members differ.
            if part.origin.carriedGroups != nil { recordWrite(object) }
        }
        updated.insert(object)
    }

    private func recordWrite(_ object: ManagedObject) {
        if !object.flags.contains(.writable) { context.recordWrite(object) }
    }

    /// - Parameter isDoomed: Whether it had led to somebody whose deletion was pending; once that
    ///   is saved it leads to nobody. Who was deleted by others meanwhile is left out.
    private func writeBack(
        _ value: PropertyValue, to relationship: RelationshipDescription, of object: ManagedObject,
        _ isDoomed: Bool = false
    ) throws {
        var former: ManagedObject?
        if case .integer(let id) = value {
            if case .integer(recorder.current(id)) = object.slots[relationship.slot] { return }
            former = try target(id, of: relationship)
            if former == nil, !isDoomed { return }
        }
        if former == nil, object.slots[relationship.slot].isNull { return }
        try context.setTarget(of: object, by: relationship, to: former)
    }

    /// Who had left the deleted before, by an edit or so as not to go with them, leaves them first.
    /// Other references are emptied by the deletion, which writes nothing.
    private func leaveFirst(_ gone: Set<LocalID>) throws {
        for part in step.parts where part.origin.existence == .present && isLive(part.object) {
            for (slot, before, _) in part.slots {
                guard let relationship = part.object.entity.slots[slot].relationship,
                    relationship.inverse?.deleteRule == .cascade || !before.isNull
                        || part.isEdit(slot),
                    part.object.flags.contains(.hasRow),
                    case .integer(let id) = part.object.slots[slot], gone.contains(id)
                else { continue }
                try writeBack(before, to: relationship, of: part.object)
            }
        }
        for (key, ids) in step.regainedParts where gone.contains(key.owner.localID) {
            try release(ids, from: key.owner, key.index)
        }
    }

    /// Who was there without the owner stays without it.
    private func release(
        _ ids: Set<LocalID>, from owner: ManagedObject, _ index: Int
    ) throws {
        let relationship = owner.home.plan.relations[index]
        guard let inverse = relationship.inverse else { return }
        let parts = try context.objects(
            Set(ids.map(recorder.current)), of: relationship.destination)
        for part in parts where isLive(part) {
            try part.fireFaultOrThrow()
            guard case .integer(owner.localID) = part.slots[inverse.slot] else { continue }
            try context.setTarget(of: part, by: inverse, to: nil)
        }
    }

    /// What was added goes before others are deleted, who must not take it with them.
    private func writeBackLinks(thatWereAdded: Bool) throws {
        for (link, isAdded) in step.links
        where isAdded == thatWereAdded && isLive(link.owner) && isLive(link.member)
            && !adopted.contains(link.owner) && !adopted.contains(link.member)
        {
            if !isAdded {
                try context.insert(link.member, into: link.owner, link.relationship)
            } else if !goesWithAnEnd(link) {
                try context.remove(link.member, from: link.owner, link.relationship)
            }
        }
    }

    /// Whether a link needs no removal, because an object that it has goes, and takes nobody with
    /// it: if that comes back, it is linked to whom others have linked it by then.
    private func goesWithAnEnd(_ link: LinkKey) -> Bool {
        let rules = [link.relationship, link.relationship.inverse].compactMap(\.?.deleteRule)
        return rules.allSatisfy { $0 == .nullify }
            && (leaving.contains(link.owner) || leaving.contains(link.member))
    }
}

extension UndoStep.Part {
    /// Whether a reference was set by hand.
    fileprivate func isEdit(_ slot: Int) -> Bool { !isLed && !filledSlots.contains(slot) }
}

extension ManagedObject {
    /// What an attribute had before a change, of a counter without what the change has added:
    /// what others have added to it since stays.
    fileprivate final func value(
        undoing after: PropertyValue, to before: PropertyValue, inSlot slot: Int
    ) -> PropertyValue {
        let property = entity.slots[slot].wireProperty
        guard property.rule == .counter, slots[slot] != after,
            let delta = Counter.delta(from: after, to: before, of: property.type)
        else { return before }
        return Counter.sum(slots[slot], delta, of: property.type)
    }
}

// Lists.
extension Undoing {
    private func writeBack(_ list: UndoStep.List) throws {
        let (owner, index) = (list.key.owner, list.key.index)
        guard isLive(owner), !adopted.contains(owner) else { return }
        let waiting = isSameSave ? [] : list.waiting
        if list.placedOtherwise.isEmpty, waiting.isEmpty { return }
        let relationship = owner.home.plan.relations[index]
        let members = try context.members(of: owner, at: index)
        let moved = Set(list.moved.union(waiting).map(recorder.current)).intersection(members)
        let placed = Set(list.origin.placed.map(recorder.current))
        let changed = Set(list.placedOtherwise.union(waiting).map(recorder.current))
        context.touch(owner)
        recorder.recordList(of: owner, at: index, in: context)
        // Those that get a place at the save are written with it.
        let written = isSameSave ? placed.intersection(changed).intersection(members) : moved
        for member in try context.objects(written, of: relationship.destination)
        where isLive(member) {
            try context.prepareToMove(member, by: relationship)
        }
        owner.changeRelation(index) { state in
            state.putBack(
                moved, as: list.origin.order.map(recorder.current),
                placing: changed, as: isSameSave ? placed : nil)
            // Of an object that is not saved the store knows nothing.
            if !isSameMerge, !owner.flags.contains(.inserted) { state.unload() }
        }
    }
}

// What counts as changed.
extension Undoing {
    /// An object without a change is none that has changed, though it was touched.
    private func settle(_ part: UndoStep.Part) {
        let object = part.object
        guard isLive(object), !object.flags.contains(.inserted) else { return }
        if part.origin.wasUpdated {
            context.touch(object)
        } else if isSameSave, object.flags.contains(.updated), context.isAsCommitted(object) {
            context.clean(object)
        }
    }
}

extension ManagedObjectContext {
    /// Whether an object has nothing to save.
    fileprivate func isAsCommitted(_ object: ManagedObject) -> Bool {
        guard carriedGroups[object] == nil else { return false }
        if !object.committed.isEmpty {
            for slot in 0..<object.slots.count where object.isChangedSinceCommit(slot) {
                return false
            }
        }
        guard let table = object.relations else { return true }
        return !table.states.indices.contains { table.changes(at: $0) }
    }

    /// An object counts as changed no more.
    fileprivate func clean(_ object: ManagedObject) {
        recordChange(object)
        reclassify(object) { $0.subtract(.updated) }
        object.committed = SlotStorage()
        object.writtenSlots = 0
        object.flags.subtract(.writable)
        event.cleaned.insert(object)
    }
}
