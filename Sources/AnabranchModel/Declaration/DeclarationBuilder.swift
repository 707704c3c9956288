/// Joins the parts that a result builder of declarations collects, in their order; the content may
/// use `if`, `else` and `for`.
public protocol DeclarationBuilder {
    /// The type of one part.
    associatedtype Element
}

extension DeclarationBuilder {
    /// Adds parts that a function or a constant provides.
    public static func buildExpression(_ parts: [Element]) -> [Element] { parts }

    /// Joins the parts of a block in their order.
    public static func buildBlock(_ parts: [Element]...) -> [Element] { parts.flatMap { $0 } }

    /// Adds the parts of an `if` without `else`.
    public static func buildOptional(_ part: [Element]?) -> [Element] { part ?? [] }

    /// Adds the parts of the first branch of an `if`.
    public static func buildEither(first part: [Element]) -> [Element] { part }

    /// Adds the parts of the second branch of an `if`.
    public static func buildEither(second part: [Element]) -> [Element] { part }

    /// Joins the parts of all rounds of a `for` loop.
    public static func buildArray(_ parts: [[Element]]) -> [Element] { parts.flatMap { $0 } }
}
