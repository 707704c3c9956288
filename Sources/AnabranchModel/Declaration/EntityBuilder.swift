/// Collects the content of an ``EntityDeclaration``; the content may use `if`, `else` and `for`.
@resultBuilder
public enum EntityBuilder: DeclarationBuilder {
    /// One part of the content of an ``EntityDeclaration``.
    public struct Element: Sendable {
        let add: @Sendable (inout EntityDeclaration) -> Void
    }

    /// Adds an attribute.
    public static func buildExpression(_ attribute: AttributeDeclaration) -> [Element] {
        [Element { $0.attributes.append(attribute) }]
    }

    /// Adds a composite attribute.
    public static func buildExpression(_ composite: CompositeAttribute) -> [Element] {
        [Element { $0.compositeAttributes.append(composite) }]
    }

    /// Adds a relationship.
    public static func buildExpression(_ relationship: RelationshipDeclaration) -> [Element] {
        [Element { $0.relationships.append(relationship) }]
    }

    /// Adds a fetched property.
    public static func buildExpression(_ property: FetchedProperty) -> [Element] {
        [Element { $0.fetchedProperties.append(property) }]
    }

    /// Adds a fetch index.
    public static func buildExpression(_ index: IndexDeclaration) -> [Element] {
        [Element { $0.indexes.append(index) }]
    }

    /// Adds a uniqueness constraint.
    public static func buildExpression(_ constraint: UniquenessConstraint) -> [Element] {
        [Element { $0.uniquenessConstraints.append(constraint) }]
    }

    /// Adds an attribute group.
    public static func buildExpression(_ group: AttributeGroup) -> [Element] {
        [Element { $0.attributeGroups.append(group) }]
    }
}
