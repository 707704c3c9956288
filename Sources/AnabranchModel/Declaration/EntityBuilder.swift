/// One part of the content of an ``Entity``.
public enum EntityElement: Hashable, Sendable {
    /// An attribute.
    case attribute(Attribute)
    /// A composite attribute.
    case composite(CompositeAttribute)
    /// A relationship.
    case relationship(Relationship)
    /// A fetch index.
    case index(Index)
    /// A uniqueness constraint.
    case unique(Unique)
    /// A fetched property.
    case fetched(FetchedProperty)
    /// A group of attributes that merge as one value.
    case group(AttributeGroup)
}

/// Collects the content of an ``Entity``; the content may use `if`, `else` and `for`.
@resultBuilder
public enum EntityBuilder {
    /// Adds an attribute.
    public static func buildExpression(_ attribute: Attribute) -> [EntityElement] {
        [.attribute(attribute)]
    }

    /// Adds a composite attribute.
    public static func buildExpression(_ composite: CompositeAttribute) -> [EntityElement] {
        [.composite(composite)]
    }

    /// Adds a relationship.
    public static func buildExpression(_ relationship: Relationship) -> [EntityElement] {
        [.relationship(relationship)]
    }

    /// Adds a fetched property.
    public static func buildExpression(_ property: FetchedProperty) -> [EntityElement] {
        [.fetched(property)]
    }

    /// Adds a fetch index.
    public static func buildExpression(_ index: Index) -> [EntityElement] { [.index(index)] }

    /// Adds a uniqueness constraint.
    public static func buildExpression(_ constraint: Unique) -> [EntityElement] {
        [.unique(constraint)]
    }

    /// Adds an attribute group.
    public static func buildExpression(_ group: AttributeGroup) -> [EntityElement] {
        [.group(group)]
    }

    /// Adds parts that a function or a constant provides.
    public static func buildExpression(_ elements: [EntityElement]) -> [EntityElement] { elements }

    /// Joins the parts of a block in their order.
    public static func buildBlock(_ parts: [EntityElement]...) -> [EntityElement] {
        parts.flatMap { $0 }
    }

    /// Adds the parts of an `if` without `else`.
    public static func buildOptional(_ part: [EntityElement]?) -> [EntityElement] { part ?? [] }

    /// Adds the parts of the first branch of an `if`.
    public static func buildEither(first part: [EntityElement]) -> [EntityElement] { part }

    /// Adds the parts of the second branch of an `if`.
    public static func buildEither(second part: [EntityElement]) -> [EntityElement] { part }

    /// Joins the parts of all rounds of a `for` loop.
    public static func buildArray(_ parts: [[EntityElement]]) -> [EntityElement] {
        parts.flatMap { $0 }
    }
}
