public import AnabranchReplication

/// What a slot of an object holds.
public enum PropertyDescription: Hashable, Sendable {
    case attribute(AttributeDescription)
    case relationship(RelationshipDescription)
}

extension PropertyDescription {
    public var name: String {
        switch self {
        case .attribute(let attribute): attribute.name
        case .relationship(let relationship): relationship.name
        }
    }

    public var slot: Int {
        switch self {
        case .attribute(let attribute): attribute.slot
        case .relationship(let relationship): relationship.slot
        }
    }

    public var isOptional: Bool {
        switch self {
        case .attribute(let attribute): attribute.isOptional
        case .relationship(let relationship): relationship.isOptional
        }
    }

    /// Whether the slot is neither stored nor sent.
    public var isTransient: Bool {
        switch self {
        case .attribute(let attribute): attribute.isTransient
        case .relationship: false
        }
    }

    /// The entity that declares the property.
    public var entity: EntityDescription {
        switch self {
        case .attribute(let attribute): attribute.entity
        case .relationship(let relationship): relationship.entity
        }
    }

    /// What merges with what; of the unstored one of two inverses, the stored one's.
    public var wireProperty: WireProperty {
        switch self {
        case .attribute(let attribute): attribute.wireProperty
        case .relationship(let relationship): relationship.wireProperty
        }
    }

    public var attribute: AttributeDescription? {
        if case .attribute(let attribute) = self { attribute } else { nil }
    }

    public var relationship: RelationshipDescription? {
        if case .relationship(let relationship) = self { relationship } else { nil }
    }
}

extension PropertyDescription: CustomStringConvertible {
    /// `Person.age`.
    public var description: String { "\(entity.name).\(name)" }
}
