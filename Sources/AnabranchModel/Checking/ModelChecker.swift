import AnabranchReplication

/// Checks a normalized declaration as a whole and collects every problem with its place.
struct ModelChecker {
    let declaration: ModelDeclaration
    let index: DeclarationIndex
    private(set) var problems: [ModelError] = []
    private(set) var warnings: [ModelWarning] = []

    init(_ declaration: ModelDeclaration) {
        self.declaration = declaration
        index = DeclarationIndex(declaration.entities)
    }

    mutating func check() {
    }

    mutating func refuse(
        _ code: ModelError.Code, _ entity: String?, _ property: String?, _ message: String
    ) {
        problems.append(ModelError(code, entity: entity, property: property, message))
    }

    mutating func warn(
        _ code: ModelWarning.Code, _ entity: String?, _ property: String?, _ message: String
    ) {
        warnings.append(ModelWarning(code, entity: entity, property: property, message))
    }
}
