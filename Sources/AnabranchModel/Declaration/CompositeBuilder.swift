/// Collects the elements of a ``CompositeAttribute``; the content may use `if`, `else` and `for`.
///
/// A relationship is no element, and does not compile here.
@resultBuilder
public enum CompositeBuilder: DeclarationBuilder {
    /// One element of a ``CompositeAttribute``.
    public struct Element: Sendable {
        let add: @Sendable (inout CompositeAttribute) -> Void
    }

    /// Adds an attribute.
    public static func buildExpression(_ attribute: AttributeDeclaration) -> [Element] {
        [Element { $0.attributes.append(attribute) }]
    }

    /// Adds a composite attribute.
    public static func buildExpression(_ composite: CompositeAttribute) -> [Element] {
        [Element { $0.compositeAttributes.append(composite) }]
    }
}
