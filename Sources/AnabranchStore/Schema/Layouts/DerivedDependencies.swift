import AnabranchModel

/// The properties on which the derived attributes of a model depend, computed once.
struct DerivedDependencies: Sendable {
    /// A derived attribute, and the properties of its own object on which it depends.
    struct OwnDependency: Sendable {
        let slot: Int
        let sources: SlotSet
    }

    /// A dependency of a derived attribute on a property of related objects.
    struct Path: Sendable {
        let attribute: AttributeDescription
        /// The relationships from the attribute's object to the related objects; never empty.
        let steps: [RelationshipDescription]
        /// The slot of the property in the related objects.
        let slot: Int

        var destination: EntityDescription { steps[steps.count - 1].destination }
    }

    /// The dependencies within an object, by the index of the entity.
    let own: [[OwnDependency]]
    let paths: [Path]
    /// All relationships that a path contains or that a derived attribute counts.
    private let steps: Set<RelationshipDescription>

    var isEmpty: Bool { own.allSatisfy(\.isEmpty) }

    init(_ model: ManagedObjectModel) {
        own = model.entities.map { entity in
            entity.derivedAttributes.map {
                OwnDependency(slot: $0.slot, sources: Self.sources(of: $0, in: entity))
            }
        }
        steps = Set(
            model.entities.flatMap(\.derivedAttributes).flatMap { $0.derivation?.steps ?? [] })
        paths = model.entities.flatMap { entity in
            entity.derivedAttributes.filter { $0.entity == entity }.flatMap(Self.paths)
        }
    }

    /// The entity's relationships to objects with derived attributes that depend on its records.
    func backwards(from entity: EntityDescription) -> [RelationshipDescription] {
        guard !steps.isEmpty else { return [] }
        return entity.relationships.filter { $0.inverse.map(steps.contains) ?? false }
    }

    private static func sources(
        of attribute: AttributeDescription, in entity: EntityDescription
    ) -> SlotSet {
        guard let derivation = attribute.derivation, derivation != .now else {
            return SlotSet(entity.slots.filter(\.isStoredInColumn).map(\.slot))
        }
        return SlotSet([derivation.steps.first?.slot ?? derivation.source?.slot].compactMap(\.self))
    }

    private static func paths(of attribute: AttributeDescription) -> [Path] {
        guard let derivation = attribute.derivation else { return [] }
        let steps = derivation.steps
        return steps.indices.compactMap { index in
            let next = index + 1 < steps.count ? steps[index + 1].slot : derivation.source?.slot
            return next.map { Path(attribute: attribute, steps: Array(steps[...index]), slot: $0) }
        }
    }
}
