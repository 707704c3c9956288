/// Collects the entities of a model; the braces may use `if`, `else` and `for`.
@resultBuilder
public enum ModelBuilder: DeclarationBuilder {
    /// The type of one part.
    public typealias Element = EntityDeclaration

    /// Adds an entity.
    public static func buildExpression(_ entity: EntityDeclaration) -> [EntityDeclaration] {
        [entity]
    }
}
