import AnabranchModel
import AnabranchReplication
import AnabranchStore

// To-one relationships without a slot value: the row of the object at the other end stores the
// reference, or the relationship is transient.
extension ManagedObject {
    /// Returns the present targets of these relationships that have changed since the last
    /// save, by name. For a new object, these are the relationships that have a target.
    final func changedInverseReferences() throws -> [String: PropertyValue] {
        guard let table = relations else { return [:] }
        var values: [String: PropertyValue] = [:]
        for (index, relationship) in home.plan.relations.enumerated()
        where relationship.isMemberReference && table.changes(at: index) {
            values[relationship.name] = try reference(to: table.states[index].added.first)
        }
        return values
    }

    /// Returns the target of such a relationship at the last fetch or save.
    ///
    /// - Returns: `nil` if the relationship was never read and the object has no context any more.
    final func committedInverseReference(_ relationship: RelationshipDescription) throws
        -> PropertyValue?
    {
        guard let index = home.plan.relationIndex(of: relationship) else { return nil }
        if let former = relations?.states[index].removed.first { return try reference(to: former) }
        let loaded = relations?.states[index].members
        guard let members = try loaded ?? managedObjectContext?.members(of: self, at: index)
        else { return nil }
        let added = relations?.states[index].added ?? []
        return try reference(to: members.subtracting(added).first)
    }

    private final func reference(to id: LocalID?) throws -> PropertyValue {
        try id.map { .reference(try home.origin.recordID(of: $0)) } ?? .null
    }
}

extension RelationshipDescription {
    /// True if this is a to-one relationship without a slot value. Its target is its only member.
    var isMemberReference: Bool { !isToMany && storage != .reference }
}
