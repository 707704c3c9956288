package import AnabranchReplication

/// An entity of a checked model.
///
/// It is equal only to itself: descriptions of two models differ even if the models are equal.
public final class EntityDescription: Sendable {
    /// The name.
    public let name: String
    package let wireName: WireName
    /// True if the entity itself has no objects, only its sub-entities have.
    public let isAbstract: Bool
    /// The declared policy, or `updateWins` if a super-entity has it.
    public let deletePolicy: DeletePolicy
    /// False if a configuration of the model keeps the entity's objects in this store only.
    public let isSynced: Bool
    /// The position in the model's ``ManagedObjectModel/entities``.
    package let index: Int
    /// The properties in slot order.
    ///
    /// The super-entity's slots come first, then the own attributes, to-one and to-many
    /// relationships, then the elements of own composite attributes, each sorted by the bytes of
    /// their names.
    package let slots: [PropertyDescription]
    /// The attributes in slot order, inherited ones included.
    public let attributes: [AttributeDescription]
    /// The super-entity's composite attributes first, then the own ones by the bytes of their
    /// names.
    public let compositeAttributes: [CompositeAttributeDescription]
    /// The derived attributes in slot order, inherited ones included.
    package let derivedAttributes: [AttributeDescription]
    /// The relationships in slot order, inherited ones included.
    public let relationships: [RelationshipDescription]
    /// The constraints that the entity declares itself.
    ///
    /// They hold among its objects and those of its sub-entities.
    package let ownUniquenessConstraints: [[AttributeDescription]]
    /// The super-entity's groups first, then the own ones by the bytes of their names.
    package let attributeGroups: [AttributeGroupDescription]
    /// The fetched properties, the super-entity's first.
    public let fetchedProperties: [FetchedPropertyDescription]
    /// The indexes that the entity declares itself.
    public let indexes: [IndexDescription]
    /// The declaration in the model's canonical form.
    package let declaration: EntityDeclaration

    private let graph: ModelGraph
    /// The positions of the entities from the root to this one.
    private let lineage: [Int]
    private let children: [Int]
    private let slotsByName: [WireName: Int]
    private let slotsByWireName: [WireName: Int]

    init(
        _ declaration: EntityDeclaration, index: Int, lineage: [Int], subentities: [Int],
        slots: [PropertyDescription], compositeAttributes: [CompositeAttributeDescription],
        attributeGroups: [AttributeGroupDescription],
        fetchedProperties: [FetchedPropertyDescription],
        deletePolicy: DeletePolicy, isSynced: Bool, graph: ModelGraph
    ) {
        self.declaration = declaration
        self.index = index
        self.lineage = lineage
        self.slots = slots
        self.compositeAttributes = compositeAttributes
        self.attributeGroups = attributeGroups
        self.fetchedProperties = fetchedProperties
        self.graph = graph
        name = declaration.name
        wireName = WireName(declaration.resolvedWireName)
        isAbstract = declaration.isAbstract
        self.deletePolicy = deletePolicy
        self.isSynced = isSynced
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
                        IndexDescription.Element(property: $0, isAscending: element.isAscending)
                    }
                })
        }
    }
}

extension EntityDescription {
    /// The super-entity; `nil` for a root.
    public var superentity: EntityDescription? {
        lineage.count > 1 ? graph.entities[lineage[lineage.count - 2]] : nil
    }

    /// The entity at the top of the hierarchy; the entity itself if it has no super-entity.
    package var root: EntityDescription {
        lineage.count > 1 ? graph.entities[lineage[0]] : self
    }

    /// The direct sub-entities, sorted by the bytes of their names.
    public var subentities: [EntityDescription] { children.map { graph.entities[$0] } }

    /// The entity and all entities below it, each before its sub-entities.
    package var hierarchy: [EntityDescription] {
        var found: [EntityDescription] = []
        var pending = [self]
        while let next = pending.popLast() {
            found.append(next)
            pending.append(contentsOf: next.subentities.reversed())
        }
        return found
    }

    /// Returns true if this entity is the other one or inherits from it.
    public func isKind(of other: EntityDescription) -> Bool {
        let depth = other.lineage.count - 1
        return graph === other.graph && depth < lineage.count && lineage[depth] == other.index
    }

    /// The declared and inherited constraints, the super-entities' first.
    ///
    /// An inherited constraint holds among all objects of the entity that declares it, not only
    /// among those of this one.
    public var uniquenessConstraints: [[AttributeDescription]] {
        lineage.flatMap { graph.entities[$0].ownUniquenessConstraints }
    }

    /// The slot of the property with that name, compared by bytes.
    package func slotIndex(named name: String) -> Int? { slotsByName[WireName(name)] }

    /// The property with that name, compared by bytes.
    public func property(named name: String) -> PropertyDescription? {
        slotIndex(named: name).map { slots[$0] }
    }

    /// The fetched property with that name, compared by bytes.
    public func fetchedProperty(named name: String) -> FetchedPropertyDescription? {
        fetchedProperties.first { $0.name.hasSameBytes(as: name) }
    }

    /// The property that is sent under a wire name.
    ///
    /// It is a stored attribute that is in no group, or the stored side of two inverses. A change
    /// merges into it only if type and rule are equal too.
    package func property(wireName: WireName) -> PropertyDescription? {
        slotsByWireName[wireName].map { slots[$0] }
    }

    /// The composite attribute with that name, compared by bytes; the name of one inside another
    /// one is its path.
    public func compositeAttribute(named name: String) -> CompositeAttributeDescription? {
        var found = compositeAttributes[...]
        while let next = found.popFirst() {
            if next.name.hasSameBytes(as: name) { return next }
            if name.hasPrefix(next.name + ".") { found = next.compositeAttributes[...] }
        }
        return nil
    }

    /// The group of attributes that is sent as a wire property.
    package func attributeGroup(_ wireProperty: WireProperty) -> AttributeGroupDescription? {
        attributeGroups.first { $0.wireProperty == wireProperty }
    }

    /// The class name in a model file.
    public var representedClassName: String? { declaration.representedClassName }
    /// The declaration's texts for the app or for tools.
    public var userInfo: [String: String] { declaration.userInfo }
}

extension PropertyDescription {
    /// True if the property's changes are sent under its own entity and wire name.
    fileprivate var travels: Bool {
        switch self {
        case .attribute(let attribute): attribute.isStored && !attribute.isInGroup
        case .relationship(let relationship):
            switch relationship.storage {
            case .reference, .links(.left), .links(.both): true
            case .inverseReference, .links(.right), .memory: false
            }
        }
    }
}

extension EntityDescription: Hashable {
    /// Returns true if both are the same description.
    public static func == (left: EntityDescription, right: EntityDescription) -> Bool {
        left === right
    }

    /// Hashes the identity of the description.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension EntityDescription: CustomStringConvertible {
    /// The name of the entity.
    public var description: String { name }
}
