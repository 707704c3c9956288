import AnabranchModel
import AnabranchReplication

/// What contexts need to know of an entity at every object, found out once.
final class EntityPlan: Sendable {
    let entity: EntityDescription
    let type: ManagedObject.Type
    /// What a new object has in its slots.
    let defaults: [Value]
    /// By slot: whether its value is stored in the object's row.
    let isStored: [Bool]
    let storedSlots: [Int]
    /// Of attributes that the store computes.
    let derivedSlots: [Int]
    /// By slot: whether an object has its value from the row, stored there or computed.
    let isRead: [Bool]
    /// Of a new object. Where there are derived attributes no object is `writable`: each write is
    /// looked at, so that none goes to these.
    let bornFlags: ObjectFlags
    /// Of attributes that are not stored.
    let transientSlots: [Int]
    /// What a save asks of the entity's objects.
    let checks: EntityChecks
    /// Whether the class checks values in a way of its own.
    let checksValues: Bool
    /// Whether the model alone says what an object may have, and nothing about relationships that
    /// have no slot value.
    let asksValuesOnly: Bool
    /// The groups of attributes, each with the slots of its members.
    let groups: [(property: WireProperty, slots: [Int])]
    /// What a merge decides about at once.
    let units: [Unit]
    /// The to-one relationships that are stored in the row.
    let references: [RelationshipDescription]
    /// The relationships that are not.
    let relations: [RelationshipDescription]
    /// By slot: the place in `relations`, or −1.
    let relationIndex: [Int]

    init(_ entity: EntityDescription, type: ManagedObject.Type) {
        self.entity = entity
        self.type = type
        defaults = entity.slots.map { $0.attribute?.defaultValue ?? .null }
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
            ? [.realised, .hasRow, .born, .writable] : [.realised, .hasRow, .born]
        transientSlots = entity.slots.indices.filter {
            entity.slots[$0].attribute?.isTransient == true
        }
        groups = entity.attributeGroups.map { group in
            (group.wireProperty, group.members.map(\.attribute.slot))
        }
        units = Self.units(of: entity, storedSlots: storedSlots, groups: groups)
        references = entity.relationships.filter { $0.storage == .reference }
        relations = entity.relationships.filter { $0.storage != .reference }
        checks = EntityChecks(entity, relations: relations)
        checksValues = type is any ValueChecking.Type
        asksValuesOnly = !checksValues && checks.relations.isEmpty
        var index = Array(repeating: -1, count: entity.slots.count)
        for (place, relationship) in relations.enumerated() { index[relationship.slot] = place }
        relationIndex = index
    }

    func relationIndex(of relationship: RelationshipDescription) -> Int? {
        let index = relationIndex[relationship.slot]
        return index < 0 ? nil : index
    }
}
