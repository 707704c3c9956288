import AnabranchModel
import AnabranchReplication
import AnabranchStore

// To-one relationships whose reference is in the other end's row.
extension ManagedObject {
    /// The present targets of those that have changed since the last save, by name; of a new
    /// object, those that have one.
    final func changedInverseReferences() throws -> [String: Value] {
        guard let table = relations else { return [:] }
        var values: [String: Value] = [:]
        for (index, relationship) in home.plan.relations.enumerated()
        where relationship.isInverseReference && table.changes(at: index) {
            values[relationship.name] = try reference(to: table.states[index].added.first)
        }
        return values
    }

    /// The target at the last fetch or save.
    ///
    /// - Returns: `nil` where nobody has asked for it and the object has no context any more.
    final func committedInverseReference(_ relationship: RelationshipDescription) throws -> Value? {
        guard let index = home.plan.relationIndex(of: relationship) else { return nil }
        if let former = relations?.states[index].removed.first { return try reference(to: former) }
        let loaded = relations?.states[index].members
        guard let members = try loaded ?? managedObjectContext?.members(of: self, at: index)
        else { return nil }
        let added = relations?.states[index].added ?? []
        return try reference(to: members.subtracting(added).first)
    }

    private final func reference(to id: LocalID?) throws -> Value {
        try id.map { .reference(try home.origin.recordID(of: $0)) } ?? .null
    }
}

extension RelationshipDescription {
    /// Whether it is a to-one that the other end's reference makes.
    var isInverseReference: Bool { !isToMany && storage == .inverseReference }
}
