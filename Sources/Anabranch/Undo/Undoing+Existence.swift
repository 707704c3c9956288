import AnabranchModel
import AnabranchReplication
import AnabranchStore

// Objects come back. One whose deletion is pending has its values and its relationships still,
// only the others do not mention it; one that was never saved, or whose deletion was saved, is
// inserted again and related anew.
extension Undoing {
    mutating func bringBack() throws {
        let objects = step.parts.filter {
            $0.origin.existence == .present && $0.existence != .present
        }.map(\.object)
        let undeleted = objects.filter { $0.existence == .deleted }
        // What a merge policy has made another object of does not come back beside that.
        let gone = objects.filter {
            $0.existence == .absent && !$0.isGoneElsewhere
                && recorder.current($0.localID) == $0.localID
        }
        for object in undeleted { context.undelete(object) }
        var former: [(object: ManagedObject, relations: FormerRelations)] = []
        for object in gone {
            let relations = FormerRelations(of: object)
            try context.reinsert(object, recorder)
            former.append((object, relations))
        }
        // Those that were deleted know others by the IDs that these had then.
        let names = recorder.currentNames
        for object in undeleted where !names.isEmpty { context.renameMentions(in: object, names) }
        fillClearedReferences()
        // A refresh may have brought back to whom they had led.
        if !isSameMerge { try reread(Set(undeleted.map(\.localID))) }
        for object in undeleted { try mention(object) }
        if !isSameMerge {
            try reread(related(to: undeleted))
            try recordParts(of: undeleted)
        }
        let values = former.isEmpty ? [:] : step.formerValues
        for (object, relations) in former { try relate(object, relations, values) }
        for (object, relations) in former { try arrange(object, relations) }
        broughtBack = undeleted + gone
    }

    /// Makes a new object, or one that is made anew, as one that was never there; but not one that
    /// a merge policy has made the record of somebody else.
    func remove(_ object: ManagedObject) {
        guard isLive(object), !recorder.isAdopted(object) else { return }
        object.wake(by: .undoInsertion)
        if object.flags.contains(.inserted) {
            context.withdraw(object)
        } else {
            context.delete(object)
        }
    }
}

// Inserting again.
extension Undoing {
    /// Relates an object that was inserted again to those it was related to, but not to those to
    /// whom only the event had related it.
    ///
    /// - Parameter values: Those before the event.
    private func relate(
        _ object: ManagedObject, _ former: FormerRelations,
        _ values: [ManagedObject: [Int: PropertyValue]]
    ) throws {
        func wasElsewhere(_ other: ManagedObject, _ slot: Int, than id: LocalID) -> Bool {
            guard let value = values[other]?[slot] else { return false }
            return recorder.current(value, isReference: true) != .integer(recorder.current(id))
        }
        for (relationship, id) in former.references {
            guard !wasElsewhere(object, relationship.slot, than: id),
                let target = try target(id, of: relationship),
                // Whom the event has led there is led back, or leaves, and may do so now.
                try context.holders(of: target, by: relationship, beside: object).allSatisfy({
                    guard let holder = context.held($0) else { return false }
                    return leaving.contains(holder)
                        || wasElsewhere(holder, relationship.slot, than: id)
                })
            else { continue }
            try context.setTarget(of: object, by: relationship, to: target)
        }
        for (relationship, ids) in former.members {
            let others = try context.objects(
                listed: ids.map(recorder.current), of: relationship.destination)
            for other in others where isLive(other) {
                if relationship.storage == .inverseReference, let inverse = relationship.inverse {
                    try other.fireFaultOrThrow()
                    // Where it leads itself, it has told.
                    guard other !== object, other.slots[inverse.slot].isNull,
                        !wasElsewhere(other, inverse.slot, than: object.localID)
                    else { continue }
                    try context.setTarget(of: other, by: inverse, to: object)
                } else if step.links[LinkKey(object, relationship, other)] != true {
                    try context.insert(other, into: object, relationship)
                }
            }
        }
    }

    /// Members that came back themselves may have come into its lists before others.
    private func arrange(_ object: ManagedObject, _ former: FormerRelations) throws {
        for (relationship, ids) in former.members where relationship.isOrdered {
            guard let index = object.home.plan.relationIndex(of: relationship) else { continue }
            let members = try context.members(of: object, at: index)
            let order = ids.map(recorder.current).filter(members.contains)
            let others = members.subtracting(order).sorted()
            _ = object.changeRelation(index) { $0.arrange(order + others) }
        }
    }
}

/// Who an object was related to when it left.
struct FormerRelations {
    private(set) var references: [(relationship: RelationshipDescription, id: LocalID)] = []
    /// Of lists in their order.
    private(set) var members: [(relationship: RelationshipDescription, ids: [LocalID])] = []

    init(of object: ManagedObject) {
        let plan = object.home.plan
        guard object.slots.count == object.entity.slots.count else { return }
        for relationship in plan.references {
            if case .integer(let id) = object.slots[relationship.slot] {
                references.append((relationship, id))
            }
        }
        guard let table = object.relations else { return }
        for (index, relationship) in plan.relations.enumerated() {
            let state = table.states[index]
            let ids = state.members == nil ? state.added.sorted() : state.listed
            if !ids.isEmpty { members.append((relationship, ids)) }
        }
    }
}

// A pending deletion is taken back.
extension Undoing {
    /// References that the deletion of what is there again has emptied.
    private func fillClearedReferences() {
        guard isSameSave, isSameMerge else { return }
        for cleared in step.clearedReferences {
            let object = cleared.object
            let id = recorder.current(cleared.id)
            guard isLive(object), object.flags.contains(.hasRow), isHeld(id) else { continue }
            let committed = cleared.committed.map(recorder.current)
            if object.slots[cleared.slot].isNull {
                context.fill(cleared.slot, of: object, id, isCommitted: committed == id)
            }
            // An edit has led it elsewhere, or leads there still.
            if let committed, isHeld(committed), !object.committed.isEmpty,
                object.committed[cleared.slot].isNull
            {
                object.committed[cleared.slot] = .integer(committed)
            }
        }
    }

    private func isHeld(_ id: LocalID) -> Bool {
        context.held(id).map { isLive($0) && !$0.flags.contains(.inserted) } ?? false
    }

    /// Puts an object back into the relationships of those that it is related to.
    private mutating func mention(_ object: ManagedObject) throws {
        context.clearReferences(of: object, to: context.deletedIDs)
        let plan = object.home.plan
        // Whose deletion was never followed may be a fault.
        if !object.slots.isEmpty {
            try clearGone(of: object)
            for relationship in plan.references { mention(object, atTargetOf: relationship) }
        }
        guard let table = object.relations else { return }
        try forgetGone(of: object, table)
        for (index, relationship) in plan.relations.enumerated() {
            guard let inverse = relationship.inverse else { continue }
            let former = table.states[index].members ?? []
            if !isSameMerge { try reloadMembers(of: object, at: index) }
            let state = table.states[index]
            for id in (state.members ?? []).union(former).union(state.added) {
                guard let other = context.held(id) else { continue }
                let isAdded = state.added.contains(id)
                if inverse.storage == .reference {
                    // Others may have changed it since: it is read again.
                    guard isSameMerge || isAdded else { continue }
                    refer(other, to: object, by: inverse, index, isAdded: isAdded)
                } else {
                    mention(object, in: other, inverse, isAdded: isAdded)
                }
            }
            for id in state.removed { mentionRemoved(object, at: id, inverse) }
        }
    }

    /// Those whose rows may lead to objects that are there again.
    private func related(to objects: [ManagedObject]) -> Set<LocalID> {
        var ids = Set(step.clearedReferences.map { $0.object.localID })
        for state in objects.compactMap(\.relations).flatMap(\.states) {
            ids.formUnion(state.added)
        }
        for object in objects { ids.formUnion(formerMembers[object] ?? []) }
        // Others may have led them to what is there again.
        return ids.union(context.refaultedIDs)
    }

    private func reread(_ ids: Set<LocalID>) throws {
        let others = ids.compactMap(context.held).filter {
            isLive($0) && $0.flags.contains(.hasRow) && !$0.flags.contains(.inserted)
        }
        for (entity, group) in Dictionary(grouping: others, by: \.entity) {
            try context.readRows(of: entity, ids: group.map(\.localID).sorted()) { row in
                guard let other = context.held(row.id) else { return }
                let targets = other.targets
                context.merge(row, into: other)
                context.event.refreshed.append(other)
                if other.targets != targets { recorder.recordRedirected(other, in: context) }
            }
        }
    }

    /// Parts that did not go with an object when it was deleted were given to it by others since.
    ///
    /// Those of which it is mandatory to have an owner can't be without one.
    private func recordParts(of objects: [ManagedObject]) throws {
        let back = Set(objects.map(\.localID))
        for object in objects {
            for (index, relationship) in object.home.plan.relations.enumerated() {
                guard relationship.deleteRule == .cascade, let inverse = relationship.inverse,
                    inverse.storage == .reference, inverse.isOptional
                else { continue }
                let parts = try context.members(of: object, at: index).subtracting(back)
                recorder.recordRegained(parts, of: object, at: index)
            }
        }
    }

    /// Asks the store who is related to an object by now.
    private mutating func reloadMembers(of object: ManagedObject, at index: Int) throws {
        let former = object.relations?.states[index].members ?? []
        if let list = object.relations?.states[index].list, !list.placed.isEmpty {
            formerLists[ListKey(owner: object, index: index)] = ListOrigin(
                order: list.order, placed: list.placed)
        }
        object.changeRelation(index) { _ = $0.unload() }
        let members = try context.members(of: object, at: index)
        formerMembers[object, default: []].formUnion(members.union(former))
    }

    /// What edits have placed in lists stands where it did, among what the store has by now.
    func restorePlaces() throws {
        for (key, former) in formerLists {
            let members = try context.members(of: key.owner, at: key.index)
            let placed = Set(former.placed.map(recorder.current)).intersection(members)
            let order = former.order.map(recorder.current)
            key.owner.changeRelation(key.index) {
                $0.putBack(placed, as: order, placing: placed, as: placed)
            }
        }
    }

    /// What others have deleted since, nobody leads to, nor to somebody new who was dropped.
    private func clearGone(of object: ManagedObject) throws {
        var gone: Set<LocalID> = []
        for relationship in object.home.plan.references {
            guard !isSameMerge || object.isChangedSinceCommit(relationship.slot),
                case .integer(let id) = object.slots[relationship.slot],
                try target(id, of: relationship) == nil
            else { continue }
            gone.insert(id)
        }
        if !gone.isEmpty { context.clearReferences(of: object, to: gone) }
    }

    private func mention(
        _ object: ManagedObject, atTargetOf relationship: RelationshipDescription
    ) {
        guard let inverse = relationship.inverse else { return }
        let slot = relationship.slot
        let isAdded = object.isChangedSinceCommit(slot)
        if relationship.isMutual {
            return refer(backTo: object, by: relationship, isAdded: isAdded)
        }
        if case .integer(let id) = object.slots[slot], let other = context.held(id) {
            mention(object, in: other, inverse, isAdded: isAdded)
        }
        if isAdded, case .integer(let former) = object.committed[slot] {
            mentionRemoved(object, at: former, inverse)
        }
    }

    /// What was added to a relationship and is gone by now is not linked.
    private func forgetGone(of object: ManagedObject, _ table: RelationTable) throws {
        for (index, relationship) in object.home.plan.relations.enumerated() {
            let added = table.states[index].added
            guard !added.isEmpty else { continue }
            let found = try context.objects(added, of: relationship.destination)
            let gone = added.subtracting(found.map(\.localID))
            _ = table.states[index].forget(gone)
        }
    }

    private func mention(
        _ object: ManagedObject, in other: ManagedObject, _ inverse: RelationshipDescription,
        isAdded: Bool
    ) {
        guard isLive(other), let index = other.home.plan.relationIndex(of: inverse),
            other.relations != nil || isAdded
        else { return }
        if isAdded { context.touch(other) } else { context.recordChange(other) }
        recorder.recordList(of: other, at: index, in: context)
        let isInStep = step.lists.contains { $0.key == ListKey(owner: other, index: index) }
        other.changeRelation(index) { state in
            // Was deleted too, and knows.
            if state.members?.contains(object.localID) ?? false { return }
            // Others may have changed it since: it is asked for anew.
            if !isSameMerge, !isAdded, !other.flags.contains(.inserted), state.unload() {
                return
            }
            state.regain(object.localID, isAdded: isAdded)
            // Its place, only the store knows.
            if inverse.isOrdered, !isInStep, !other.flags.contains(.inserted) { state.unload() }
        }
    }

    /// The object was taken from the other since the last save, by an edit that the other knows
    /// of: what others have saved under it is not known to have been there.
    private func mentionRemoved(
        _ object: ManagedObject, at id: LocalID, _ inverse: RelationshipDescription
    ) {
        guard let other = context.held(id), isLive(other),
            let index = other.home.plan.relationIndex(of: inverse),
            let cleared = step.clearedRemovals[ListKey(owner: other, index: index)],
            cleared.contains(where: { recorder.current($0) == object.localID })
        else { return }
        let isChange = other.withRelation(index) { $0.regainRemoval(of: object.localID) }
        if isChange { context.touch(other) }
    }

    /// The reference of an object's partner points to the object again. If it points to another
    /// object by now, the object has no partner.
    private func refer(
        backTo object: ManagedObject, by relationship: RelationshipDescription, isAdded: Bool
    ) {
        let slot = relationship.slot
        guard case .integer(let id) = object.slots[slot], let partner = context.held(id),
            isLive(partner), partner.flags.contains(.hasRow)
        else { return }
        switch partner.slots[slot] {
        case .integer(object.localID): return
        // A merge that came since says what is stored.
        case .null where isAdded || isSameMerge:
            context.fill(slot, of: partner, object.localID, isCommitted: !isAdded)
        default: if isAdded { object.write(.null, to: slot) }
        }
    }

    /// The other's reference leads to the object again, unless it leads elsewhere by now.
    private func refer(
        _ other: ManagedObject, to object: ManagedObject, by inverse: RelationshipDescription,
        _ index: Int, isAdded: Bool
    ) {
        guard isLive(other), other.flags.contains(.hasRow) else { return }
        switch other.slots[inverse.slot] {
        case .integer(object.localID): return
        case .null:
            context.fill(inverse.slot, of: other, object.localID, isCommitted: !isAdded)
        default: object.changeRelation(index) { $0.remove(other.localID) }
        }
    }
}

extension ManagedObject {
    /// To whom it leads, in the order of its plan.
    fileprivate final var targets: [PropertyValue] { home.plan.references.map { slots[$0.slot] } }
}
