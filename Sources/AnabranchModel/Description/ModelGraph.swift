/// The entities of one model, reachable from each of its descriptions.
///
/// Descriptions refer to each other in circles, through this table. So a model, once made, stays
/// in memory until the process ends; an app makes one per model version.
final class ModelGraph: Sendable {
    /// Written once, before the model is handed out.
    private nonisolated(unsafe) var table: [EntityDescription] = []

    /// Written once, as the table.
    private nonisolated(unsafe) var rules: [RelationshipDescription: [RelationshipRule]] = [:]
    /// Written once, as the table.
    private nonisolated(unsafe) var derivations: [AttributeDescription: Derivation] = [:]
    /// What does not fit of the relationships' validations and of the derivations.
    private(set) nonisolated(unsafe) var problems: [ModelError] = []

    var entities: [EntityDescription] { table }

    /// - Parameter declaration: Normalized and without problems of its own.
    init(_ declaration: ModelDeclaration) {
        table = GraphBuilder(declaration, graph: self).build()
        for relationship in table.lazy.flatMap(\.relationships)
        where !relationship.declaration.validations.isEmpty && rules[relationship] == nil {
            rules[relationship] = relationship.declaration.validations.compactMap {
                resolve($0, of: relationship)
            }
        }
        for attribute in table.lazy.flatMap(\.derivedAttributes)
        where derivations[attribute] == nil {
            do {
                derivations[attribute] = try DerivationReader(attribute).read()
            } catch {
                if !problems.contains(error) { problems.append(error) }
            }
        }
    }

    func derivation(of attribute: AttributeDescription) -> Derivation? { derivations[attribute] }

    func rules(of relationship: RelationshipDescription) -> [RelationshipRule] {
        rules[relationship] ?? []
    }

    private func resolve(
        _ rule: ValidationRule, of relationship: RelationshipDescription
    ) -> RelationshipRule? {
        do {
            return try RelationshipRule(rule, of: relationship)
        } catch {
            problems.append(
                ModelError(
                    rule, of: "relationship \(relationship)", entity: relationship.entity.name,
                    property: relationship.name, error))
            return nil
        }
    }
}

/// Where a property is: its declaring entity and its slot there, which sub-entities share.
struct PropertyPlace: Hashable, Sendable {
    let entity: Int
    let slot: Int
}
