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

    /// The entities, with an attribute for each element of a composite attribute.
    var entities: [EntityDeclaration] { index.entities }

    mutating func check() {
        guard entities.count <= ModelLimits.greatestEntityCount else {
            let most = ModelLimits.greatestEntityCount
            refuse(
                .limitExceeded, nil, nil,
                "Can't use the model because it has over \(most) entities.")
            return
        }
        guard checkDepthOfComposites() else { return }
        checkNames()
        checkComposites()
        checkHierarchies()
        for position in entities.indices {
            for attribute in entities[position].attributes {
                check(attribute, of: entities[position])
            }
            for relationship in entities[position].relationships {
                check(relationship, declaredBy: position)
            }
            checkConstraints(declaredBy: position)
            checkGroups(declaredBy: position)
            checkIndexes(declaredBy: position)
            checkFetchedProperties(declaredBy: position)
        }
        checkTemplates()
        checkConfigurations()
    }

    mutating func refuse(
        _ code: ModelError.Code, _ entity: String?, _ property: String?, _ message: String
    ) {
        problems.append(ModelError(code, entity: entity, property: property, message))
    }

    mutating func refuse(
        unsupported feature: ModelError.Feature, _ entity: String, _ property: String,
        _ message: String
    ) {
        problems.append(
            ModelError(
                .notSupportedYet, entity: entity, property: property, feature: feature, message))
    }

    mutating func refuse(_ problem: ModelError) { problems.append(problem) }

    mutating func warn(
        _ code: ModelWarning.Code, _ entity: String?, _ property: String?, _ message: String
    ) {
        warnings.append(ModelWarning(code, entity: entity, property: property, message))
    }

    private mutating func checkTemplates() {
        var seen: Set<WireName> = []
        for template in declaration.fetchRequestTemplates {
            let lead = "Can't use the fetch request template \(template.name) because"
            if !seen.insert(WireName(template.name)).inserted {
                refuse(.duplicateName, nil, template.name, "\(lead) there are two of that name.")
            }
            if index.position(of: template.entity) == nil {
                refuse(
                    .unknownEntity, nil, template.name,
                    "\(lead) there is no entity \(template.entity)."
                        + hint(forEntity: template.entity))
            }
            if let format = template.predicateFormat {
                checkPredicate(format, nil, template.name, lead)
            }
        }
    }
}
