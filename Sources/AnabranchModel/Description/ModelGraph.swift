/// The entities of one model, reachable from each of its descriptions.
///
/// Descriptions refer to each other through this table, so they keep each other in memory. A model
/// stays in memory until the process ends; an app creates one for each model version.
final class ModelGraph: Sendable {
    /// Written once, before the model is returned.
    private nonisolated(unsafe) var table: [EntityDescription] = []

    /// Written once, before the model is returned.
    private nonisolated(unsafe) var rules: [RelationshipDescription: [RelationshipRule]] = [:]
    /// Written once, before the model is returned.
    private nonisolated(unsafe) var derivations: [AttributeDescription: Derivation] = [:]
    /// Problems in the validations of relationships and in the derivations.
    private(set) nonisolated(unsafe) var problems: [ModelError] = []

    var entities: [EntityDescription] { table }

    /// Builds the descriptions, then reads the validations of relationships and the derivations.
    /// Errors in these are collected in `problems`.
    ///
    /// - Parameter declaration: A normalized declaration that passed the checks.
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

/// The place of a property: its declaring entity and its slot, which sub-entities share.
struct PropertyLocation: Hashable, Sendable {
    let entity: Int
    let slot: Int
}
