/// Collects the entities of a model; the braces may use `if`, `else` and `for`.
@resultBuilder
public enum ModelBuilder {
    /// Adds an entity.
    public static func buildExpression(_ entity: Entity) -> [Entity] { [entity] }

    /// Adds entities that a function or a constant provides.
    public static func buildExpression(_ entities: [Entity]) -> [Entity] { entities }

    /// Joins the entities of a block in their order.
    public static func buildBlock(_ parts: [Entity]...) -> [Entity] { parts.flatMap { $0 } }

    /// Adds the entities of an `if` without `else`.
    public static func buildOptional(_ part: [Entity]?) -> [Entity] { part ?? [] }

    /// Adds the entities of the first branch of an `if`.
    public static func buildEither(first part: [Entity]) -> [Entity] { part }

    /// Adds the entities of the second branch of an `if`.
    public static func buildEither(second part: [Entity]) -> [Entity] { part }

    /// Joins the entities of all rounds of a `for` loop.
    public static func buildArray(_ parts: [[Entity]]) -> [Entity] { parts.flatMap { $0 } }
}
