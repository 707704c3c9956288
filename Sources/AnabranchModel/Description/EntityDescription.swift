public import AnabranchReplication

/// An entity of a checked model.
///
/// Equal only to itself: two models have different descriptions, however alike.
public final class EntityDescription: Sendable {
    public let name: String
    public let wireName: WireName
    public let isAbstract: Bool
    /// Its own, or `updateWins` where a super-entity has it.
    public let deletePolicy: DeletePolicy
    /// The place in the model's ``ManagedObjectModel/entities``.
    public let index: Int
    /// The super-entity's slots first, then the own attributes, to-one and to-many
    /// relationships, each sorted by the bytes of their names.
    public let slots: [PropertyDescription]
    /// In slot order, inherited ones included.
    public let attributes: [AttributeDescription]
    /// Those of the attributes that are computed.
    package let derivedAttributes: [AttributeDescription]
    /// In slot order, inherited ones included.
    public let relationships: [RelationshipDescription]
    /// The constraints declared by the entity itself; they hold among its objects and those of
    /// its sub-entities.
    public let ownUniquenessConstraints: [[AttributeDescription]]
    /// The super-entity's first, then the own ones by the bytes of their names.
    public let attributeGroups: [AttributeGroupDescription]
    /// The indexes declared by the entity itself.
    public let indexes: [IndexDescription]
    /// As it was declared, in the model's canonical form.
    public let declaration: Entity

    private let graph: ModelGraph
    /// From the root to this entity.
    private let lineage: [Int]
    private let children: [Int]
    private let slotsByName: [WireName: Int]
    private let slotsByWireName: [WireName: Int]

    init(
        _ declaration: Entity, index: Int, lineage: [Int], subentities: [Int],
        slots: [PropertyDescription], attributeGroups: [AttributeGroupDescription],
        deletePolicy: DeletePolicy, graph: ModelGraph
    ) {
        self.declaration = declaration
        self.index = index
        self.lineage = lineage
        self.slots = slots
        self.attributeGroups = attributeGroups
        self.graph = graph
        name = declaration.name
        wireName = WireName(declaration.resolvedWireName)
        isAbstract = declaration.isAbstract
        self.deletePolicy = deletePolicy
        children = subentities
        attributes = slots.compactMap(\.attribute)
        derivedAttributes = attributes.filter(\.isDerived)
        relationships = slots.compactMap(\.relationship)
        let byName = Dictionary(
            slots.map { (WireName($0.name), $0.slot) }, uniquingKeysWith: { first, _ in first })
        slotsByName = byName
        slotsByWireName = Dictionary(
            slots.filter(\.travels).map { ($0.wireProperty.name, $0.slot) },
            uniquingKeysWith: { first, _ in first })
        func slot(_ name: String) -> PropertyDescription? {
            byName[WireName(name)].map { slots[$0] }
        }
        ownUniquenessConstraints = declaration.uniquenessConstraints.map { constraint in
            constraint.attributes.compactMap { slot($0)?.attribute }
        }
        indexes = declaration.indexes.map { index in
            IndexDescription(
                name: index.name,
                elements: index.elements.compactMap { element in
                    slot(element.property).map {
                        IndexDescription.Element(
                            property: $0, isAscending: element.isAscending)
                    }
                })
        }
    }
}

extension EntityDescription {
    public var superentity: EntityDescription? {
        lineage.count > 1 ? graph.entities[lineage[lineage.count - 2]] : nil
    }

    /// The entity at the top of the hierarchy; the entity itself where it has no super-entity.
    public var root: EntityDescription {
        lineage.count > 1 ? graph.entities[lineage[0]] : self
    }

    /// The direct ones, sorted by the bytes of their names.
    public var subentities: [EntityDescription] { children.map { graph.entities[$0] } }

    /// The entity and everything below it, each before its sub-entities.
    public var hierarchy: [EntityDescription] {
        var found: [EntityDescription] = []
        var pending = [self]
        while let next = pending.popLast() {
            found.append(next)
            pending.append(contentsOf: next.subentities.reversed())
        }
        return found
    }

    /// Whether this entity is the other one or below it.
    public func isKind(of other: EntityDescription) -> Bool {
        let depth = other.lineage.count - 1
        return graph === other.graph && depth < lineage.count && lineage[depth] == other.index
    }

    /// The super-entities' constraints first.
    ///
    /// An inherited constraint holds among all objects of the entity that declares it, not only
    /// among those of this one: see ``ownUniquenessConstraints``.
    public var uniquenessConstraints: [[AttributeDescription]] {
        lineage.flatMap { graph.entities[$0].ownUniquenessConstraints }
    }

    /// By the bytes of the name.
    public func slotIndex(named name: String) -> Int? { slotsByName[WireName(name)] }

    /// By the bytes of the name.
    public func property(named name: String) -> PropertyDescription? {
        slotIndex(named: name).map { slots[$0] }
    }

    /// The property that travels under a wire name: a stored attribute that is in no group, or the
    /// stored one of two inverses. A change merges into it only if type and rule are equal too.
    public func property(wireName: WireName) -> PropertyDescription? {
        slotsByWireName[wireName].map { slots[$0] }
    }

    /// The group of attributes that travels under a wire property.
    public func attributeGroup(_ wireProperty: WireProperty) -> AttributeGroupDescription? {
        attributeGroups.first { $0.wireProperty == wireProperty }
    }

    public var representedClassName: String? { declaration.representedClassName }
    public var userInfo: [String: String] { declaration.userInfo }
}

extension PropertyDescription {
    /// Whether the property's changes are sent under its own entity and wire name.
    fileprivate var travels: Bool {
        switch self {
        case .attribute(let attribute): attribute.isStored && !attribute.isInGroup
        case .relationship(let relationship):
            switch relationship.storage {
            case .reference, .links(.left), .links(.both): true
            case .inverseReference, .links(.right): false
            }
        }
    }
}

extension EntityDescription: Hashable {
    public static func == (left: EntityDescription, right: EntityDescription) -> Bool {
        left === right
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension EntityDescription: CustomStringConvertible {
    public var description: String { name }
}
