/// The entities of one model, with the compiled validations of their properties.
///
/// A validation is a predicate, which is resolved against the descriptions. So the validations are
/// compiled after all descriptions exist.
final class ValidatingGraph: ModelGraph, @unchecked Sendable {
    // The initializer writes the properties, before the model is returned.
    private var valueRules: [AttributeDescription: ValueRules] = [:]
    private var relationshipRules: [RelationshipDescription: [RelationshipRule]] = [:]
    /// Problems in the validations of relationships and in fetched properties.
    private(set) var validationProblems: [ModelError] = []

    override init(_ declaration: ModelDeclaration) {
        super.init(declaration)
        for attribute in entities.lazy.flatMap(\.attributes) where valueRules[attribute] == nil {
            valueRules[attribute] = ValueRules(of: attribute)
        }
        for relationship in entities.lazy.flatMap(\.relationships)
        where !relationship.declaration.validations.isEmpty
            && relationshipRules[relationship] == nil
        {
            relationshipRules[relationship] = relationship.declaration.validations.compactMap {
                resolve($0, of: relationship)
            }
        }
        for entity in entities {
            for property in entity.fetchedProperties where property.entity == entity {
                if let problem = FetchedPropertyCheck(property: property).problem() {
                    validationProblems.append(problem)
                }
            }
        }
    }

    /// The compiled validations of an attribute, or `nil` if it has none.
    func rules(of attribute: AttributeDescription) -> ValueRules? { valueRules[attribute] }

    func rules(of relationship: RelationshipDescription) -> [RelationshipRule] {
        relationshipRules[relationship] ?? []
    }

    private func resolve(
        _ rule: ValidationRule, of relationship: RelationshipDescription
    ) -> RelationshipRule? {
        do {
            return try RelationshipRule(rule, of: relationship)
        } catch {
            validationProblems.append(
                ModelError(
                    rule, of: "relationship \(relationship)", entity: relationship.entity.name,
                    property: relationship.name, error))
            return nil
        }
    }
}

extension RelationshipDescription {
    /// The validations with their resolved predicates, in the declared order.
    package var rules: [RelationshipRule] {
        (graph as? ValidatingGraph)?.rules(of: self) ?? []
    }
}
