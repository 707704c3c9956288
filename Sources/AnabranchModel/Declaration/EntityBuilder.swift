/// One part of the content of an ``EntityDeclaration``.
public enum EntityElement: Hashable, Sendable {
    /// An attribute.
    case attribute(AttributeDeclaration)
    /// A composite attribute.
    case composite(CompositeAttribute)
    /// A relationship.
    case relationship(RelationshipDeclaration)
    /// A fetch index.
    case index(IndexDeclaration)
    /// A uniqueness constraint.
    case unique(UniquenessConstraint)
    /// A fetched property.
    case fetched(FetchedProperty)
    /// A group of attributes that merge as one value.
    case group(AttributeGroup)
}

/// Collects the content of an ``EntityDeclaration``; the content may use `if`, `else` and `for`.
@resultBuilder
public enum EntityBuilder: DeclarationBuilder {
    /// The type of one part.
    public typealias Element = EntityElement

    /// Adds an attribute.
    public static func buildExpression(_ attribute: AttributeDeclaration) -> [EntityElement] {
        [.attribute(attribute)]
    }

    /// Adds a composite attribute.
    public static func buildExpression(_ composite: CompositeAttribute) -> [EntityElement] {
        [.composite(composite)]
    }

    /// Adds a relationship.
    public static func buildExpression(_ relationship: RelationshipDeclaration) -> [EntityElement] {
        [.relationship(relationship)]
    }

    /// Adds a fetched property.
    public static func buildExpression(_ property: FetchedProperty) -> [EntityElement] {
        [.fetched(property)]
    }

    /// Adds a fetch index.
    public static func buildExpression(_ index: IndexDeclaration) -> [EntityElement] {
        [.index(index)]
    }

    /// Adds a uniqueness constraint.
    public static func buildExpression(_ constraint: UniquenessConstraint) -> [EntityElement] {
        [.unique(constraint)]
    }

    /// Adds an attribute group.
    public static func buildExpression(_ group: AttributeGroup) -> [EntityElement] {
        [.group(group)]
    }
}
