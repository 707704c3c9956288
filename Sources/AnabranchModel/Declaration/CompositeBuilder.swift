/// One element of a ``CompositeAttribute``.
public enum CompositeElement: Hashable, Sendable {
    /// An attribute.
    case attribute(AttributeDeclaration)
    /// A composite attribute inside another one.
    case composite(CompositeAttribute)
}

/// Collects the elements of a ``CompositeAttribute``; the content may use `if`, `else` and `for`.
///
/// A relationship is no element, and does not compile here.
@resultBuilder
public enum CompositeBuilder: DeclarationBuilder {
    /// The type of one part.
    public typealias Element = CompositeElement

    /// Adds an attribute.
    public static func buildExpression(_ attribute: AttributeDeclaration) -> [CompositeElement] {
        [.attribute(attribute)]
    }

    /// Adds a composite attribute.
    public static func buildExpression(_ composite: CompositeAttribute) -> [CompositeElement] {
        [.composite(composite)]
    }
}
