import AnabranchModel
import AnabranchReplication
import AnabranchStore

// Writing both ends.
extension ManagedObjectContext {
    func setTargetKeepingError(
        of object: ManagedObject, by relationship: RelationshipDescription,
        to target: ManagedObject?
    ) {
        do {
            try setTarget(of: object, by: relationship, to: target)
        } catch {
            keep(error)
        }
    }

    /// Sets a to-one relationship, and the inverses of all three objects concerned.
    func setTarget(
        of object: ManagedObject, by relationship: RelationshipDescription,
        to target: ManagedObject?
    ) throws {
        if let target { try check(target, for: relationship, of: object) }
        if relationship.isMutual {
            return try setPartner(of: object, by: relationship, to: target)
        }
        if relationship.storage == .reference {
            return try setReference(of: object, by: relationship, to: target)
        }
        if relationship.isTransient {
            return try setMember(of: object, by: relationship, to: target)
        }
        // The unstored side of a one-to-one: the reference is the other object's.
        guard let inverse = relationship.inverse else { return }
        try object.fireFaultToWrite(relationship.slot)
        guard try targetOrThrow(of: object, by: relationship) !== target else { return }
        if let target { return try setReference(of: target, by: inverse, to: object) }
        try unseat(nil, at: object, inverse)
    }

    private func setReference(
        of object: ManagedObject, by relationship: RelationshipDescription,
        to target: ManagedObject?
    ) throws {
        try object.fireFaultToWrite(relationship.slot)
        let slot = relationship.slot
        let present: LocalID? =
            if case .integer(let id) = object.slots[slot] { id } else { nil }
        let earlier = try earlierTarget(present, target, relationship)
        try unseat(object, at: target, relationship)
        if !object.flags.contains(.writable) { recordWrite(object) }
        guard present != target?.localID else { return }
        // Once the reference is another one, a list that is read then lacks the object.
        for end in [earlier, target] { recordList(of: end, by: relationship.inverse) }
        object.write(target.map { .integer($0.localID) } ?? .null, to: slot)
        guard let inverse = relationship.inverse else { return }
        if let earlier {
            let isStored = object.hasStored(earlier, in: slot)
            change(earlier, inverse) { $0.remove(object.localID, isStored: isStored) }
        }
        if let target {
            let isStored = object.hasStored(target, in: slot)
            change(target, inverse) { $0.add(object.localID, isStored: isStored) }
        }
    }

    /// Sets a to-one that is its own inverse: the references of both objects, and of the objects
    /// that are their partners until now.
    ///
    /// So one save writes all of them, and of concurrent saves one decides about both objects.
    private func setPartner(
        of object: ManagedObject, by relationship: RelationshipDescription,
        to target: ManagedObject?
    ) throws {
        let pair = [object] + (target.map { [$0] } ?? [])
        for end in pair { try end.fireFaultToWrite(relationship.slot) }
        let former = try pair.compactMap { try partner(of: $0, by: relationship) }
        for other in former where !pair.contains(other) {
            writeReference(nil, to: relationship, of: other)
        }
        writeReference(target, to: relationship, of: object)
        if let target { writeReference(object, to: relationship, of: target) }
    }

    /// The object with a reference to another one that refers to it, with its row.
    ///
    /// - Returns: `nil` also if that object is deleted.
    private func partner(
        of object: ManagedObject, by relationship: RelationshipDescription
    ) throws -> ManagedObject? {
        guard let partner = try targetOrThrow(of: object, by: relationship), !partner.isDeleted,
            try partner.isRealised(in: self),
            partner.flags.isDisjoint(with: [.deleted, .detached]),
            shownReference(of: partner, by: relationship) == object.localID
        else { return nil }
        return partner
    }

    private func writeReference(
        _ target: ManagedObject?, to relationship: RelationshipDescription, of object: ManagedObject
    ) {
        let value = target.map { PropertyValue.integer($0.localID) } ?? .null
        if !object.flags.contains(.writable) { recordWrite(object) }
        if object.slots[relationship.slot] != value { object.write(value, to: relationship.slot) }
    }

    /// Sets a transient to-one; its target is the only member of the relationship.
    private func setMember(
        of object: ManagedObject, by relationship: RelationshipDescription,
        to target: ManagedObject?
    ) throws {
        try object.fireFaultToWrite(relationship.slot)
        if let target {
            try insert(target, into: object, relationship)
        } else {
            try removeMembers(of: object, from: relationship)
        }
    }

    /// Empties both ends of a transient relationship that are to-one, before a member is added.
    private func makeRoom(
        for member: ManagedObject, in owner: ManagedObject,
        _ relationship: RelationshipDescription
    ) throws {
        if !relationship.isToMany { try removeMembers(of: owner, from: relationship) }
        guard let inverse = relationship.inverse, !inverse.isToMany else { return }
        try removeMembers(of: member, from: inverse)
    }

    private func removeMembers(
        of object: ManagedObject, from relationship: RelationshipDescription
    ) throws {
        guard let index = object.home.plan.relationIndex(of: relationship) else { return }
        let present = try members(of: object, at: index)
        for member in try objects(present, of: relationship.destination) {
            try remove(member, from: object, relationship)
        }
    }

    /// Keeps the order of a list for an undo, where it is about to change.
    private func recordList(of owner: ManagedObject?, by relationship: RelationshipDescription?) {
        guard let recorder, let owner, let relationship, relationship.isOrdered,
            let index = owner.home.plan.relationIndex(of: relationship)
        else { return }
        recorder.recordList(of: owner, at: index, in: self)
    }

    private func earlierTarget(
        _ present: LocalID?, _ target: ManagedObject?, _ relationship: RelationshipDescription
    ) throws -> ManagedObject? {
        guard let present, present != target?.localID, relationship.inverse != nil,
            !goneIDs.contains(present)
        else { return nil }
        return try self.object(present, of: relationship.destination)
    }

    /// Of a one-to-one: whoever else refers to the target already, loses it. Of one that is gone
    /// only the target knows.
    private func unseat(
        _ object: ManagedObject?, at target: ManagedObject?,
        _ relationship: RelationshipDescription
    ) throws {
        guard let target, let inverse = relationship.inverse, !inverse.isToMany,
            let index = target.home.plan.relationIndex(of: inverse)
        else { return }
        for holder in try members(of: target, at: index) where holder != object?.localID {
            if let other = try self.object(holder, of: inverse.destination),
                try other.isRealised(in: self)
            {
                try setReference(of: other, by: relationship, to: nil)
            } else {
                touch(target)
                target.changeRelation(index) { _ = $0.forget([holder]) }
            }
        }
    }

    /// Adds an object to a to-many relationship, and to its inverse.
    func insert(
        _ member: ManagedObject, into owner: ManagedObject, _ relationship: RelationshipDescription
    ) throws {
        try check(member, for: relationship, of: owner)
        if relationship.storage == .inverseReference, let inverse = relationship.inverse {
            return try setReference(of: member, by: inverse, to: owner)
        }
        guard let index = owner.home.plan.relationIndex(of: relationship),
            try !members(of: owner, at: index).contains(member.localID)
        else { return }
        if relationship.isTransient { try makeRoom(for: member, in: owner, relationship) }
        try loadUncertain(member, relationship.inverse, owner)
        let isStored = isEverywhere(owner, relationship, member) { $0.removed.contains($1) }
        change(owner, relationship) { $0.add(member.localID, isStored: isStored) }
        if let inverse = relationship.inverse, !(member === owner && inverse == relationship) {
            change(member, inverse) { $0.add(owner.localID, isStored: isStored) }
        }
        recorder?.recordLink(owner, relationship, member, isAdded: true)
    }

    /// Removes an object from a to-many relationship, and from its inverse.
    ///
    /// - Parameter version: The state of the store in which the author of the removal has seen the
    ///   link, if it may be older than the one in which this context has read it.
    func remove(
        _ member: ManagedObject, from owner: ManagedObject,
        _ relationship: RelationshipDescription, seenIn version: RowVersion? = nil
    ) throws {
        guard let index = owner.home.plan.relationIndex(of: relationship),
            try members(of: owner, at: index).contains(member.localID)
        else { return }
        if relationship.storage == .inverseReference, let inverse = relationship.inverse {
            return try setReference(of: member, by: inverse, to: nil)
        }
        try loadUncertain(member, relationship.inverse, owner)
        let isStored = !isEverywhere(owner, relationship, member) { $0.added.contains($1) }
        let read = owner.relations?.states[index].seen?[member.localID]
        let seen = [read, version].compactMap(\.self).min()
        change(owner, relationship) {
            $0.remove(member.localID, isStored: isStored, seenIn: seen)
        }
        if let inverse = relationship.inverse, !(member === owner && inverse == relationship) {
            change(member, inverse) {
                $0.remove(owner.localID, isStored: isStored, seenIn: seen)
            }
        }
        recorder?.recordLink(owner, relationship, member, isAdded: false)
    }

    /// The other end of a link that was changed here and that others may have changed since: both
    /// ends have to know alike what the store has.
    private func loadUncertain(
        _ member: ManagedObject, _ inverse: RelationshipDescription?, _ owner: ManagedObject
    ) throws {
        guard let inverse, let index = member.home.plan.relationIndex(of: inverse),
            member.relations?.states[index].isUncertain(of: owner.localID) ?? false
        else { return }
        try load(inverse, of: [member])
    }

    /// Whether both ends of a link agree about it: one may have been read later than the other,
    /// and then knows better what the store has.
    private func isEverywhere(
        _ owner: ManagedObject, _ relationship: RelationshipDescription, _ member: ManagedObject,
        _ holds: (RelationState, LocalID) -> Bool
    ) -> Bool {
        func holdsAt(
            _ object: ManagedObject, _ relationship: RelationshipDescription, _ id: LocalID
        ) -> Bool {
            guard let index = object.home.plan.relationIndex(of: relationship),
                let table = object.relations
            else { return false }
            return holds(table.states[index], id)
        }
        return holdsAt(owner, relationship, member.localID)
            && (relationship.inverse.map { holdsAt(member, $0, owner.localID) } ?? true)
    }

    /// Both ends count as changed, though only one of them is stored.
    private func change(
        _ object: ManagedObject, _ relationship: RelationshipDescription,
        _ body: (inout RelationState) -> Void
    ) {
        guard let index = object.home.plan.relationIndex(of: relationship) else { return }
        touch(object)
        recorder?.recordList(of: object, at: index, in: self)
        object.changeRelation(index, body)
    }

    private func check(
        _ target: ManagedObject, for relationship: RelationshipDescription,
        of object: ManagedObject
    ) throws {
        guard target.managedObjectContext === self else {
            throw PropertyError(
                .foreignObject,
                "Can't relate \(object.objectID) by '\(relationship.name)' to \(target.objectID) "
                    + "because that object belongs to another context, or to none any more.",
                property: relationship.name, objectID: object.objectID)
        }
        guard target.entity.isKind(of: relationship.destination) else {
            throw PropertyError(
                .foreignObject,
                "Can't relate \(object.objectID) by '\(relationship.name)' to \(target.objectID) "
                    + "because its destination is \(relationship.destination.name).",
                property: relationship.name, objectID: object.objectID)
        }
    }
}

extension ManagedObject {
    /// Whether the row of the object, as it was read, refers to another one.
    fileprivate final func hasStored(_ target: ManagedObject, in slot: Int) -> Bool {
        !flags.contains(.inserted) && !committed.isEmpty
            && committed[slot] == .integer(target.localID)
    }
}
