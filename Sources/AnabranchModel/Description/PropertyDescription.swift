package import AnabranchReplication

/// The property in a slot of an object.
///
/// It is closed: only a new major version adds a case.
public enum PropertyDescription: Hashable, Sendable {
    /// An attribute.
    case attribute(AttributeDescription)
    /// A relationship.
    case relationship(RelationshipDescription)
}

extension PropertyDescription {
    /// The name.
    public var name: String {
        switch self {
        case .attribute(let attribute): attribute.name
        case .relationship(let relationship): relationship.name
        }
    }

    /// The slot of the value in objects of the declaring entity and of every sub-entity.
    package var slot: Int {
        switch self {
        case .attribute(let attribute): attribute.slot
        case .relationship(let relationship): relationship.slot
        }
    }

    /// True if a saved object may have no value in the slot.
    public var isOptional: Bool {
        switch self {
        case .attribute(let attribute): attribute.isOptional
        case .relationship(let relationship): relationship.isOptional
        }
    }

    /// True if the slot is neither stored nor sent.
    public var isTransient: Bool {
        switch self {
        case .attribute(let attribute): attribute.isTransient
        case .relationship(let relationship): relationship.isTransient
        }
    }

    /// The entity that declares the property.
    public var entity: EntityDescription {
        switch self {
        case .attribute(let attribute): attribute.entity
        case .relationship(let relationship): relationship.entity
        }
    }

    /// The name, type and merge rule under which changes are sent and merged.
    ///
    /// The unstored side of two inverses has the stored side's.
    package var wireProperty: WireProperty {
        switch self {
        case .attribute(let attribute): attribute.wireProperty
        case .relationship(let relationship): relationship.wireProperty
        }
    }

    /// The attribute; `nil` for a relationship.
    public var attribute: AttributeDescription? {
        if case .attribute(let attribute) = self { attribute } else { nil }
    }

    /// The relationship; `nil` for an attribute.
    public var relationship: RelationshipDescription? {
        if case .relationship(let relationship) = self { relationship } else { nil }
    }
}

extension PropertyDescription: CustomStringConvertible {
    /// The entity and the name, such as `Person.age`.
    public var description: String { "\(entity.name).\(name)" }
}
