public import AnabranchModel
import AnabranchReplication
import AnabranchStore

// What a predicate sees of an object in memory: its present values, unsaved ones included.
extension ManagedObject: PredicateSubject {
    public final var predicateEntity: EntityDescription { entity }

    public final func predicateValue(forKey key: String) throws -> PredicateOperand {
        try predicateValue(of: property(named: key))
    }

    public final func predicateValue(of property: PropertyDescription) throws -> PredicateOperand {
        switch property {
        case .attribute(let attribute):
            try realiseOrThrow()
            return .value(slots[attribute.slot])
        case .relationship(let relationship):
            let context = try context(for: relationship.name)
            guard relationship.isToMany else {
                return .subject(try existingTarget(by: relationship, in: context))
            }
            guard let index = home.plan.relationIndex(of: relationship) else {
                return .subjects([])
            }
            let ids = try context.members(of: self, at: index)
            return .subjects(try context.objects(ids, of: relationship.destination))
        }
    }

    public final var predicateReference: PredicateObjectReference? {
        PredicateObjectReference(record: localID, store: home.origin.identity)
    }

    /// A to-one to a record that does not exist is no subject; one whose deletion the save may deny
    /// exists until then.
    private final func existingTarget(
        by relationship: RelationshipDescription, in context: ManagedObjectContext
    ) throws -> ManagedObject? {
        func exists(_ target: ManagedObject) -> Bool {
            !target.isDeleted || relationship.keepsTarget && !target.flags.contains(.detached)
        }
        guard let target = try context.targetOrThrow(of: self, by: relationship), exists(target)
        else { return nil }
        return try target.isRealised(in: context) && exists(target) ? target : nil
    }
}
