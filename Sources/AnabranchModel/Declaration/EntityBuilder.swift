/// What the braces of an ``Entity`` may hold.
public enum EntityElement: Hashable, Sendable {
    case attribute(Attribute)
    case relationship(Relationship)
    case index(Index)
    case unique(Unique)
    case group(AttributeGroup)
}

/// Collects the content of an ``Entity``; `if`, `else` and `for` are allowed in it.
@resultBuilder
public enum EntityBuilder {
    public static func buildExpression(_ attribute: Attribute) -> [EntityElement] {
        [.attribute(attribute)]
    }

    public static func buildExpression(_ relationship: Relationship) -> [EntityElement] {
        [.relationship(relationship)]
    }

    public static func buildExpression(_ index: Index) -> [EntityElement] { [.index(index)] }

    public static func buildExpression(_ constraint: Unique) -> [EntityElement] {
        [.unique(constraint)]
    }

    public static func buildExpression(_ group: AttributeGroup) -> [EntityElement] {
        [.group(group)]
    }

    public static func buildExpression(_ elements: [EntityElement]) -> [EntityElement] { elements }

    public static func buildBlock(_ parts: [EntityElement]...) -> [EntityElement] {
        parts.flatMap { $0 }
    }

    public static func buildOptional(_ part: [EntityElement]?) -> [EntityElement] { part ?? [] }

    public static func buildEither(first part: [EntityElement]) -> [EntityElement] { part }

    public static func buildEither(second part: [EntityElement]) -> [EntityElement] { part }

    public static func buildArray(_ parts: [[EntityElement]]) -> [EntityElement] {
        parts.flatMap { $0 }
    }
}
