import AnabranchModel
import AnabranchReplication

/// Facts about an entity that contexts need for every object, computed once.
final class EntityPlan: Sendable {
    let entity: EntityDescription
    let type: ManagedObject.Type
    /// The initial slot values of a new object.
    let defaults: [PropertyValue]
    /// By slot: true if the value is stored in the object's row.
    let isStored: [Bool]
    let storedSlots: [Int]
    /// The slots of derived attributes, which the store computes.
    let derivedSlots: [Int]
    /// By slot: true if the value comes from the row, stored there or computed.
    let isRead: [Bool]
    /// The flags of a new object. If the entity has derived attributes, no object is `writable`:
    /// every write is examined, so that none reaches a derived attribute.
    let bornFlags: ObjectFlags
    /// The slots of transient attributes.
    let transientSlots: [Int]
    /// The checks that a save makes on the entity's objects.
    let checks: EntityChecks
    /// True if the class conforms to `ValueChecking`.
    let checksValues: Bool
    /// True if the checks need only one slot value at a time: the class has no value checks, and
    /// the model makes no demands on composite attributes or on relationships without a slot value.
    let asksValuesOnly: Bool
    /// The attribute groups, each with the slots of its members.
    let groups: [(property: WireProperty, slots: [Int])]
    /// The units that a merge policy decides as one value.
    let units: [Unit]
    /// The to-one relationships that are stored in the object's row.
    let references: [RelationshipDescription]
    /// The relationships that are not stored in the object's row.
    let relations: [RelationshipDescription]
    /// The indices in `relations` of those that the store keeps as links.
    let linkRelations: [Int]
    /// By slot: the index in `relations`, or −1.
    let relationIndex: [Int]

    init(_ entity: EntityDescription, type: ManagedObject.Type) {
        self.entity = entity
        self.type = type
        defaults = entity.slots.map { $0.attribute?.initialValue ?? .null }
        isStored = entity.slots.map { property in
            switch property {
            case .attribute(let attribute): !attribute.isTransient && !attribute.isDerived
            case .relationship(let relationship): relationship.storage == .reference
            }
        }
        let isStored = isStored
        storedSlots = entity.slots.indices.filter { isStored[$0] }
        derivedSlots = entity.slots.filter { $0.attribute?.isDerived == true }.map(\.slot)
        isRead = entity.slots.map { isStored[$0.slot] || $0.attribute?.isDerived == true }
        bornFlags =
            derivedSlots.isEmpty
            ? [.isFired, .hasRow, .insertedInEvent, .writable]
            : [.isFired, .hasRow, .insertedInEvent]
        transientSlots = entity.slots.indices.filter {
            entity.slots[$0].attribute?.isTransient == true
        }
        groups = entity.attributeGroups.map { group in
            (group.wireProperty, group.members.map(\.attribute.slot))
        }
        units = Self.units(of: entity, storedSlots: storedSlots, groups: groups)
        references = entity.relationships.filter { $0.storage == .reference }
        relations = entity.relationships.filter { $0.storage != .reference }
        linkRelations = relations.indices.filter { [relations] index in
            if case .links = relations[index].storage { true } else { false }
        }
        checks = EntityChecks(entity, relations: relations)
        checksValues = type is any ValueChecking.Type
        asksValuesOnly = !checksValues && checks.relations.isEmpty && checks.composites.isEmpty
        var index = Array(repeating: -1, count: entity.slots.count)
        for (place, relationship) in relations.enumerated() { index[relationship.slot] = place }
        relationIndex = index
    }

    func relationIndex(of relationship: RelationshipDescription) -> Int? {
        let index = relationIndex[relationship.slot]
        return index < 0 ? nil : index
    }
}
