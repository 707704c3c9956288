package import AnabranchModel
package import AnabranchReplication
import AnabranchStore

// The view that a predicate has of an object in memory: its present values, unsaved ones included.
extension ManagedObject: PredicateSubject {
    package final var predicateEntity: EntityDescription { entity }

    /// Returns the value of a property by its name.
    package final func predicateValue(forKey key: String) throws -> PredicateOperand {
        try predicateValue(of: property(named: key))
    }

    /// Returns the value of a property: an attribute's value, the object of a to-one relationship,
    /// or the objects of a to-many relationship.
    package final func predicateValue(of property: PropertyDescription) throws -> PredicateOperand {
        switch property {
        case .attribute(let attribute):
            try fireFaultOrThrow()
            return .value(slots[attribute.slot])
        case .relationship(let relationship):
            let context = try context(for: relationship.name)
            guard relationship.isToMany else {
                return .subject(try existingTarget(by: relationship, in: context))
            }
            return .subjects(try context.relatedObjects(of: self, by: relationship))
        }
    }

    /// Returns the values that an attribute under the merge rule `keepBoth` holds.
    ///
    /// An unsaved edit replaces the values that its author has seen. The others are those that the
    /// save of the edit leaves.
    package final func predicateValues(of attribute: AttributeDescription) throws -> [PropertyValue]
    {
        try fireFaultOrThrow()
        let shown = slots[attribute.slot]
        guard attribute.keepsBoth, !flags.contains(.inserted) else { return [shown] }
        return [shown] + (try context(for: attribute.name).readHeldValues(of: attribute, in: self))
    }

    /// Returns true if a search for words finds the object by its present texts.
    package final func predicateFinds(_ search: ResolvedSearch) throws -> Bool {
        try fireFaultOrThrow()
        let texts = search.attributes.map { attribute -> String? in
            if case .string(let text) = slots[attribute.slot] { text } else { nil }
        }
        return try TextMatcher.shared.finds(search.query, in: texts)
    }

    /// The object's record and store, by which predicates compare objects.
    package final var predicateReference: PredicateObjectReference? {
        PredicateObjectReference(record: localID, store: home.origin.identity)
    }

    /// Returns the target of a to-one relationship if it exists. If the save can still deny the
    /// deletion of a target, the target exists until the save.
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
