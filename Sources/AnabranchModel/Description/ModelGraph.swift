/// The entities of one model, reachable from each of its descriptions.
///
/// Descriptions refer to each other through this table, so they keep each other in memory. A model
/// stays in memory until the process ends; an app creates one for each model version.
class ModelGraph: @unchecked Sendable {
    // The initializer writes the properties, before the model is returned.
    private var table: [EntityDescription] = []
    private var derivations: [AttributeDescription: Derivation] = [:]
    final private(set) var problems: [ModelError] = []

    final var entities: [EntityDescription] { table }

    /// Builds the descriptions, then reads the derivations. Errors in these are collected in
    /// `problems`.
    ///
    /// - Parameter declaration: A normalized declaration that passed the checks.
    init(_ declaration: ModelDeclaration) {
        table = GraphBuilder(declaration, graph: self).build()
        for attribute in table.lazy.flatMap(\.derivedAttributes)
        where derivations[attribute] == nil {
            do {
                derivations[attribute] = try DerivationReader(attribute).read()
            } catch {
                if !problems.contains(error) { problems.append(error) }
            }
        }
    }

    final func derivation(of attribute: AttributeDescription) -> Derivation? {
        derivations[attribute]
    }
}

/// The place of a property: its declaring entity and its slot, which sub-entities share.
struct PropertyLocation: Hashable, Sendable {
    let entity: Int
    let slot: Int
}
