import AnabranchModel
import AnabranchReplication
import AnabranchStore

// What a refresh drops.
extension ManagedObjectContext {
    /// Drops what is unsaved of an object, at both ends of its relationships.
    ///
    /// - Throws: ``StoreError``; everything is as it was.
    func discardChanges(of object: ManagedObject) throws {
        // What can fail does before anything changes.
        let reading = try DiscardReading(for: object, in: self)
        try withExtendedLifetime(reading) { try takeBack(object, reading) }
        if object.flags.contains(.inserted) {
            object.willTurnIntoFault()
            object.reportChanges()
            detach(object)
            object.flags.subtract([.deleted, .isFired])
            event.invalidated.append(object)
            object.didTurnIntoFault()
            return
        }
        reclassify(object) { $0.subtract(.updated) }
        forgetEdits(of: object)
        turnIntoFault(object)
    }

    private func takeBack(_ object: ManagedObject, _ reading: DiscardReading) throws {
        if object.flags.contains(.deleted) {
            try takeBackDeletion(of: object, reading)
        } else {
            try takeBackRelations(of: object)
        }
    }

    /// Those who had lost the object by its deletion are read again.
    private func takeBackDeletion(
        of object: ManagedObject, _ reading: DiscardReading
    ) throws {
        reclassify(object) { $0.subtract(.deleted) }
        unpropagated.removeAll { $0 === object }
        guard deletedIDs.remove(object.localID) != nil else {
            return try takeBackRelations(of: object)
        }
        for (index, relationship) in object.home.plan.relations.enumerated() {
            guard let state = object.relations?.states[index], let inverse = relationship.inverse,
                relationship.storage == .inverseReference
            else { continue }
            object.relations?.states[index].settleChanges()
            for member in try objects(
                state.added.union(state.removed), of: relationship.destination)
            where member !== object
                && refers(member, by: inverse, toNobodyOr: object, orHad: state.removed)
            {
                try giveBack(member, inverse)
            }
        }
        object.relations = nil
        returnToFormerOwners(of: object)
        try readAgainWhatReferred(reading.rows)
    }

    /// Whether a reference is as the object that is brought back has left it.
    private func refers(
        _ member: ManagedObject, by relationship: RelationshipDescription,
        toNobodyOr object: ManagedObject, orHad removed: Set<LocalID>
    ) -> Bool {
        guard member.flags.isDisjoint(with: [.deleted, .detached]) else { return false }
        if removed.contains(member.localID) { return true }
        guard case .integer(let id) = member.slots[relationship.slot] else { return true }
        return id == object.localID
    }

    /// The other ends must not go on mentioning what is dropped here.
    private func takeBackRelations(of object: ManagedObject) throws {
        let plan = object.home.plan
        if object.flags.contains(.inserted) || !object.committed.isEmpty {
            for relationship in plan.references where object.flags.contains(.isFired) {
                try giveBack(object, relationship)
            }
        }
        guard let table = object.relations else { return }
        for (index, relationship) in plan.relations.enumerated() where table.changes(at: index) {
            let state = table.states[index]
            if relationship.storage == .inverseReference, let inverse = relationship.inverse {
                let moved = state.added.union(state.removed)
                for member in try objects(moved, of: relationship.destination)
                where member.flags.isDisjoint(with: [.deleted, .detached]) {
                    try giveBack(member, inverse)
                }
                continue
            }
            for member in try objects(state.added, of: relationship.destination) {
                try remove(member, from: object, relationship)
            }
            for member in try objects(state.removed, of: relationship.destination) {
                try insert(member, into: object, relationship)
                forgetPlace(of: object, at: member, relationship.inverse)
            }
        }
    }

    /// Has a reference lead to whom it did when the object was last fetched or saved, if that
    /// object is still there, and, of a one-to-one, others have given it nobody else by now.
    private func giveBack(
        _ object: ManagedObject, _ relationship: RelationshipDescription
    ) throws {
        let isChanged = object.isChangedSinceCommit(relationship.slot)
        guard isChanged || object.flags.contains(.inserted) else { return }
        var former: ManagedObject?
        if !object.flags.contains(.inserted), !object.committed.isEmpty,
            case .integer(let id) = object.committed[relationship.slot], !goneIDs.contains(id),
            let target = try self.object(id, of: relationship.destination),
            target.flags.isDisjoint(with: [.deleted, .detached]),
            try isFree(target, for: relationship, of: object)
        {
            former = target
        }
        try setTarget(of: object, by: relationship, to: former)
        settleReference(of: object, by: relationship)
        if let former { forgetPlace(of: object, at: former, relationship.inverse) }
    }

    /// Whoever led to somebody who is deleted here leads to nobody, which is no change of his; when
    /// that comes back, he leads there as he did before.
    private func settleReference(
        of object: ManagedObject, by relationship: RelationshipDescription
    ) {
        let slot = relationship.slot
        guard !object.committed.isEmpty, object.slots[slot].isNull,
            case .integer(let id) = object.committed[slot],
            held(id)?.flags.contains(.deleted) ?? false
        else { return }
        if let inverse = relationship.inverse {
            change(inverse, at: .integer(id)) { state in
                state.removed.remove(object.localID)
                state.unload()
            }
        }
        // Else the deletion is still to be followed, and will reach him.
        guard deletedIDs.contains(id) else { return }
        object.committed[slot] = .null
        recordIncomplete(object)
        // The undo of the deletion does not know of him.
        recorder?.mergeCount += 1
    }

    private func forgetPlace(
        of object: ManagedObject, at owner: ManagedObject, _ relationship: RelationshipDescription?
    ) {
        guard let relationship, relationship.isOrdered,
            let index = owner.home.plan.relationIndex(of: relationship)
        else { return }
        owner.withRelation(index) { $0.forgetPlace(of: object.localID) }
    }

    /// Of a one-to-one: whether nobody else has the target now but by an edit, which loses it.
    private func isFree(
        _ target: ManagedObject, for relationship: RelationshipDescription,
        of object: ManagedObject
    ) throws -> Bool {
        try holders(of: target, by: relationship, beside: object).allSatisfy { id in
            guard let holder = held(id) else { return false }
            return holder.flags.contains(.inserted)
                || holder.isChangedSinceCommit(relationship.slot)
        }
    }

    /// The other objects that have the target of a one-to-one now.
    func holders(
        of target: ManagedObject, by relationship: RelationshipDescription,
        beside object: ManagedObject
    ) throws -> Set<LocalID> {
        guard let inverse = relationship.inverse, !inverse.isToMany else { return [] }
        if relationship.isMutual {
            let partner = try targetID(of: target, by: relationship)
            return Set([partner].compactMap(\.self)).subtracting([object.localID])
        }
        guard let index = target.home.plan.relationIndex(of: inverse) else { return [] }
        return try members(of: target, at: index).subtracting([object.localID])
    }
}
