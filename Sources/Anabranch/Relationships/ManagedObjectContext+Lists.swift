import AnabranchModel
import AnabranchReplication
import AnabranchStore

// Changing the order of lists.
extension ManagedObjectContext {
    /// The members of a relationship, of a list in their order, else ascending.
    func listedMembers(
        of object: ManagedObject, by relationship: RelationshipDescription
    ) throws -> [LocalID] {
        guard let index = object.home.plan.relationIndex(of: relationship) else { return [] }
        _ = try members(of: object, at: index)
        return object.relations?.states[index].listed ?? []
    }

    /// True if an object is a member of a list.
    func isListed(
        _ member: ManagedObject, in owner: ManagedObject, _ relationship: RelationshipDescription
    ) throws -> Bool {
        guard let index = owner.home.plan.relationIndex(of: relationship) else { return false }
        return try members(of: owner, at: index).contains(member.localID)
    }

    /// Puts an object at a place of a list, to which it is added where it is not there.
    ///
    /// - Parameter place: What its index is then.
    func place(
        _ member: ManagedObject, at place: Int, in owner: ManagedObject,
        _ relationship: RelationshipDescription
    ) throws {
        guard let index = owner.home.plan.relationIndex(of: relationship) else { return }
        if try !members(of: owner, at: index).contains(member.localID) {
            try insert(member, into: owner, relationship)
        }
        try prepareToMove(member, by: relationship)
        touch(owner)
        recorder?.recordList(of: owner, at: index, in: self)
        owner.changeRelation(index) { $0.move(member.localID, to: place) }
    }

    /// Puts objects at the end of a list, in their order. If one occurs twice, its last place
    /// counts.
    ///
    /// The cost is in proportion to the list and the objects together.
    func append(
        _ objects: [ManagedObject], to owner: ManagedObject,
        _ relationship: RelationshipDescription
    ) throws {
        guard let index = owner.home.plan.relationIndex(of: relationship) else { return }
        var appended: Set<LocalID> = []
        let last = Array(
            objects.reversed().filter { appended.insert($0.localID).inserted }.reversed())
        let areNew = try members(of: owner, at: index).isDisjoint(with: appended)
        for object in last { try insert(object, into: owner, relationship) }
        if areNew { return }
        let rest = try listedMembers(of: owner, by: relationship)
            .filter { !appended.contains($0) }
        try reorder(owner, relationship, at: index, as: rest + last.map(\.localID))
    }

    /// Leaves exactly these objects in a list, in this order, and moves as few as can be.
    func arrange(
        _ objects: [ManagedObject], in owner: ManagedObject,
        _ relationship: RelationshipDescription
    ) throws {
        guard let index = owner.home.plan.relationIndex(of: relationship) else { return }
        let wanted = Set(objects.map(\.localID))
        // From the end on: taking out the last member costs the same, however long the list is.
        let gone = try listedMembers(of: owner, by: relationship).reversed()
            .filter { !wanted.contains($0) }
        for object in try self.objects(listed: gone, of: relationship.destination) {
            try remove(object, from: owner, relationship)
        }
        for object in objects { try insert(object, into: owner, relationship) }
        var seen: Set<LocalID> = []
        let order = objects.map(\.localID).filter { seen.insert($0).inserted }
        try reorder(owner, relationship, at: index, as: order)
    }

    /// Gives the members of a list another order, and moves as few as can be.
    private func reorder(
        _ owner: ManagedObject, _ relationship: RelationshipDescription, at index: Int,
        as order: [LocalID]
    ) throws {
        guard try listedMembers(of: owner, by: relationship) != order else { return }
        touch(owner)
        recorder?.recordList(of: owner, at: index, in: self)
        let moved = owner.changeRelation(index) { $0.arrange(order) }
        for object in try objects(listed: moved, of: relationship.destination) {
            try prepareToMove(object, by: relationship)
        }
    }

    /// In a one-to-many the place is kept with the member's reference, which is written with it.
    func prepareToMove(
        _ member: ManagedObject, by relationship: RelationshipDescription
    ) throws {
        guard relationship.storage == .inverseReference, let inverse = relationship.inverse else {
            return
        }
        try member.fireFaultToWrite(inverse.slot)
        if !member.flags.contains(.writable) { recordWrite(member) }
    }
}
