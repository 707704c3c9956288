/// Collects the entities of a model; `if`, `else` and `for` are allowed in it.
@resultBuilder
public enum ModelBuilder {
    public static func buildExpression(_ entity: Entity) -> [Entity] { [entity] }

    public static func buildExpression(_ entities: [Entity]) -> [Entity] { entities }

    public static func buildBlock(_ parts: [Entity]...) -> [Entity] { parts.flatMap { $0 } }

    public static func buildOptional(_ part: [Entity]?) -> [Entity] { part ?? [] }

    public static func buildEither(first part: [Entity]) -> [Entity] { part }

    public static func buildEither(second part: [Entity]) -> [Entity] { part }

    public static func buildArray(_ parts: [[Entity]]) -> [Entity] { parts.flatMap { $0 } }
}
