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

    /// Leaves exactly these objects in a list, in this order, and moves as few as can be.
    func arrange(
        _ objects: [ManagedObject], in owner: ManagedObject,
        _ relationship: RelationshipDescription
    ) throws {
        guard let index = owner.home.plan.relationIndex(of: relationship) else { return }
        let wanted = Set(objects.map(\.localID))
        let gone = try members(of: owner, at: index).subtracting(wanted)
        for object in try self.objects(gone, of: relationship.destination) {
            try remove(object, from: owner, relationship)
        }
        for object in objects { try insert(object, into: owner, relationship) }
        var seen: Set<LocalID> = []
        let order = objects.map(\.localID).filter { seen.insert($0).inserted }
        guard try listedMembers(of: owner, by: relationship) != order else { return }
        touch(owner)
        recorder?.recordList(of: owner, at: index, in: self)
        let moved = Set(owner.changeRelation(index) { $0.arrange(order) })
        for object in objects where moved.contains(object.localID) {
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
