import AnabranchModel

/// The demands of the model on an entity's objects, computed once.
final class EntityChecks: Sendable {
    /// The demands on the value of a slot.
    struct Slot: Sendable {
        /// The attribute's type; `nil` for a reference.
        let type: AttributeType?
        let isOptional: Bool
        /// True if the model demands more than the type.
        let hasRestrictions: Bool

        /// Returns true if the value is certainly valid; otherwise it must be examined.
        func takes(_ value: borrowing PropertyValue) -> Bool {
            if value.isNull { return isOptional }
            guard !hasRestrictions, !value.isNoMoment else { return false }
            return type?.accepts(value) ?? true
        }
    }

    /// The demands on a relationship without a slot value.
    struct Relation: Sendable {
        /// The index among the plan's relations.
        let index: Int
        let relationship: RelationshipDescription
        let rules: [RelationshipRule]
        /// True if the relationship can lose too many members.
        var needsSome: Bool { !relationship.isOptional || relationship.minCount > 0 }
        /// True if an object that does not have this relationship in memory, or that loses
        /// members, can fail.
        var dependsOnOthers: Bool { needsSome || !rules.isEmpty }
    }

    /// The demands by slot; a slot without a value has none here.
    let slots: [Slot]
    /// The slots to check, in ascending order. They include transient attributes, and derived
    /// attributes that are mandatory.
    let valueSlots: [Int]
    /// The composite attributes with demands on the whole.
    let composites: [CompositeAttributeDescription]
    /// The relationships with demands, by slot.
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
        composites = entity.compositeAttributes.filter(\.hasDemands)
        self.relations = relations.enumerated().map { index, relationship in
            Relation(index: index, relationship: relationship, rules: relationship.rules)
        }.filter { relation in
            relation.dependsOnOthers
                || relation.relationship.isToMany && relation.relationship.maxCount != nil
        }
    }
}

extension EntityChecks {
    /// Returns true if an object's values are certainly valid. Most objects of most saves pass
    /// this test, which costs a third of the full check.
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

extension CompositeAttributeDescription {
    /// True if the elements can have values that are valid each by itself, but not together.
    fileprivate var hasDemands: Bool {
        !isOptional || !mandatoryAttributes.isEmpty
            || compositeAttributes.contains(where: \.hasDemands)
    }
}

extension EntityChecks.Relation {
    /// Returns true if a change of the object can violate the demands on the relationship.
    ///
    /// A mandatory to-one relationship is always checked, even if only its other end stores it, so
    /// that both sides are treated alike.
    func isConcerned(by object: ManagedObject, in context: ManagedObjectContext) -> Bool {
        if object.flags.contains(.inserted) { return true }
        if object.relations?.changes(at: index) == true { return true }
        if !relationship.isToMany && !relationship.isOptional { return true }
        return dependsOnOthers && !context.deletedIDs.isEmpty
    }
}
