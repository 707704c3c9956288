/// One element of a ``CompositeAttribute``.
public enum CompositeElement: Hashable, Sendable {
    /// An attribute.
    case attribute(Attribute)
    /// A composite attribute inside another one.
    case composite(CompositeAttribute)
}

/// Collects the elements of a ``CompositeAttribute``; the content may use `if`, `else` and `for`.
///
/// A relationship is no element, and does not compile here.
@resultBuilder
public enum CompositeBuilder {
    /// Adds an attribute.
    public static func buildExpression(_ attribute: Attribute) -> [CompositeElement] {
        [.attribute(attribute)]
    }

    /// Adds a composite attribute.
    public static func buildExpression(_ composite: CompositeAttribute) -> [CompositeElement] {
        [.composite(composite)]
    }

    /// Adds elements that a function or a constant provides.
    public static func buildExpression(_ elements: [CompositeElement]) -> [CompositeElement] {
        elements
    }

    /// Joins the elements of a block in their order.
    public static func buildBlock(_ parts: [CompositeElement]...) -> [CompositeElement] {
        parts.flatMap { $0 }
    }

    /// Adds the elements of an `if` without `else`.
    public static func buildOptional(_ part: [CompositeElement]?) -> [CompositeElement] {
        part ?? []
    }

    /// Adds the elements of the first branch of an `if`.
    public static func buildEither(first part: [CompositeElement]) -> [CompositeElement] { part }

    /// Adds the elements of the second branch of an `if`.
    public static func buildEither(second part: [CompositeElement]) -> [CompositeElement] { part }

    /// Joins the elements of all rounds of a `for` loop.
    public static func buildArray(_ parts: [[CompositeElement]]) -> [CompositeElement] {
        parts.flatMap { $0 }
    }
}
