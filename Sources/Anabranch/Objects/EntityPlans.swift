import AnabranchModel

/// The plans of a model's entities, and the entities' classes.
struct EntityPlans: Sendable {
    /// The plans by entity index.
    let plans: [EntityPlan]
    /// True if the model has an ordered to-many relationship.
    let haveLists: Bool
    /// True if the model has a relationship with members that a save may have to count.
    let haveCounts: Bool
    /// True if the model has derived attributes.
    let haveDerivations: Bool
    /// By entity index: true if a relationship without an inverse points to the entity.
    private let isBlindTarget: [Bool]
    /// True if the model has relationships without an inverse.
    let haveOneWayRelationships: Bool
    private let entitiesByClass: [ObjectIdentifier: EntityDescription]

    /// - Throws: ``PropertyError`` that names the first difference between a class and the model.
    init(model: ManagedObjectModel, classes: [ManagedObject.Type]) throws {
        var byEntity: [Int: ManagedObject.Type] = [:]
        var byClass: [ObjectIdentifier: EntityDescription] = [:]
        for type in classes {
            let entity = try Self.entity(of: type, in: model)
            guard byEntity.updateValue(type, forKey: entity.index) == nil else {
                throw PropertyError(
                    .classMismatch,
                    "Can't use \(type) because another class already represents "
                        + "\(entity.name); pass one class for each entity.", entity: entity.name)
            }
            byClass[ObjectIdentifier(type)] = entity
        }
        entitiesByClass = byClass
        haveLists = model.entities.contains { $0.relationships.contains(where: \.isOrdered) }
        var isBlindTarget = Array(repeating: false, count: model.entities.count)
        for relationship in model.entities.flatMap(\.relationships)
        where relationship.inverse == nil {
            for entity in relationship.destination.hierarchy { isBlindTarget[entity.index] = true }
        }
        self.isBlindTarget = isBlindTarget
        haveOneWayRelationships = model.entities.contains { entity in
            entity.relationships.contains { $0.inverse == nil }
        }
        plans = try model.entities.map { entity in
            EntityPlan(entity, type: try Self.type(of: entity, among: byEntity))
        }
        haveDerivations = plans.contains { !$0.derivedSlots.isEmpty }
        haveCounts = plans.contains { !$0.checks.relations.isEmpty }
    }

    /// True if objects can point to the entity's objects by a relationship without an inverse.
    func isBlindTarget(_ entity: EntityDescription) -> Bool { isBlindTarget[entity.index] }

    func entity(of type: ManagedObject.Type) -> EntityDescription? {
        entitiesByClass[ObjectIdentifier(type)]
    }

    private static func entity(
        of type: ManagedObject.Type, in model: ManagedObjectModel
    ) throws -> EntityDescription {
        guard let entity = model.entity(named: type.entityName) else {
            throw PropertyError(
                .classMismatch,
                "Can't use \(type) because the model has no entity "
                    + "'\(type.entityName)'; correct entityName."
                    + NearestWord.hint(for: type.entityName, among: model.entities.map(\.name)),
                entity: type.entityName)
        }
        let names = entity.slots.map(\.name)
        for (slot, name) in type.slotNames.enumerated()
        where !names.indices.contains(slot) || names[slot] != name {
            let expected = names.indices.contains(slot) ? "slot '\(names[slot])'" : "no such slot"
            throw PropertyError(
                .classMismatch,
                "Can't use \(type) because its slot \(slot) is '\(name)' but "
                    + "\(entity.name) has \(expected) there; make slotNames match the model.",
                entity: entity.name, property: name)
        }
        if type.slotNames.count < names.count {
            throw PropertyError(
                .classMismatch,
                "Can't use \(type) because it lacks the slot "
                    + "'\(names[type.slotNames.count])' of \(entity.name); add it to slotNames.",
                entity: entity.name, property: names[type.slotNames.count])
        }
        return entity
    }

    /// Returns an entity's own class, or the class of the nearest super-entity that has one. The
    /// slots of a super-entity come first, so its class fits.
    private static func type(
        of entity: EntityDescription, among types: [Int: ManagedObject.Type]
    ) throws -> ManagedObject.Type {
        let above = try entity.superentity.map { try type(of: $0, among: types) }
        guard let own = types[entity.index] else { return above ?? ManagedObject.self }
        if let above, !own.isKind(of: above) {
            throw PropertyError(
                .classMismatch,
                "Can't use \(own) for \(entity.name) because it does not inherit "
                    + "from \(above), the class of its super-entity.", entity: entity.name)
        }
        return own
    }
}
