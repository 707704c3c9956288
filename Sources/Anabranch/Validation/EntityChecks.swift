import AnabranchModel

/// What the model demands of an entity's objects, put together once.
final class EntityChecks: Sendable {
    /// Of a slot that holds a value.
    struct Slot: Sendable {
        /// `nil` of a reference.
        let type: AttributeType?
        let isOptional: Bool
        /// Whether there is more to ask than for a value of the type.
        let hasRestrictions: Bool

        /// Whether nothing can be against a value; of one that isn't, something may be.
        func takes(_ value: borrowing Value) -> Bool {
            if value.isNull { return isOptional }
            guard !hasRestrictions, !value.isNoMoment else { return false }
            return type?.accepts(value) ?? true
        }
    }

    /// Of a relationship without a slot value.
    struct Relation: Sendable {
        /// Among the plan's relations.
        let index: Int
        let relationship: RelationshipDescription
        let rules: [RelationshipRule]
        /// Whether there are too few where some have gone.
        var needsSome: Bool { !relationship.isOptional || relationship.minCount > 0 }
        /// Whether objects that were read without it, or whose other ends were deleted, may fail.
        var dependsOnOthers: Bool { needsSome || !rules.isEmpty }
    }

    /// By slot; of those without a value nothing is asked here.
    let slots: [Slot]
    /// Ascending; transient ones included, and derived ones that may not be missing.
    let valueSlots: [Int]
    /// Those that anything is demanded of, by slot.
    let relations: [Relation]

    init(_ entity: EntityDescription, relations: [RelationshipDescription]) {
        slots = entity.slots.map { property in
            switch property {
            case .attribute(let attribute):
                Slot(
                    type: attribute.type, isOptional: attribute.isOptional,
                    hasRestrictions: attribute.hasRestrictions)
            case .relationship(let relationship):
                Slot(
                    type: nil, isOptional: relationship.isOptional,
                    hasRestrictions: !relationship.rules.isEmpty)
            }
        }
        valueSlots = entity.slots.filter { property in
            property.attribute.map { !$0.isDerived || !$0.isOptional } ?? false
                || property.relationship?.storage == .reference
        }.map(\.slot)
        self.relations = relations.enumerated().map { index, relationship in
            Relation(index: index, relationship: relationship, rules: relationship.rules)
        }.filter { relation in
            relation.dependsOnOthers
                || relation.relationship.isToMany && relation.relationship.maxCount != nil
        }
    }
}

extension EntityChecks {
    /// Whether nothing can be against an object's values: a look that most objects of most saves
    /// pass, and that costs a third of finding out what is.
    func take(valuesOf object: ManagedObject, _ occasion: SaveOccasion) -> Bool {
        guard object.flags.contains(.hasRow) else { return false }
        for slot in valueSlots {
            let isAsked = occasion == .insert || object.isWritten(slot)
            if isAsked {
                if !slots[slot].takes(object.slots.buffer[slot]) { return false }
            } else if !slots[slot].isOptional, object.slots.buffer[slot].isNull {
                return false
            }
        }
        return true
    }
}

extension EntityChecks.Relation {
    /// Whether a change of the object may have broken what is demanded here.
    ///
    /// That a mandatory to-one is kept at its other end only is no reason to ask it less than one
    /// that is kept at this end.
    func isConcerned(by object: ManagedObject, in context: ManagedObjectContext) -> Bool {
        if object.flags.contains(.inserted) { return true }
        if object.relations?.changes(at: index) == true { return true }
        if !relationship.isToMany && !relationship.isOptional { return true }
        return dependsOnOthers && !context.deletedIDs.isEmpty
    }
}
