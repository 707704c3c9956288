/// A whole model as values, before the checks.
///
/// Two declarations with the same meaning may differ in the order of their parts.
public struct ModelDeclaration: Hashable, Sendable {
    /// The entities, in any order.
    package var entities: [EntityDeclaration]
    /// The named fetch requests, in any order.
    package var fetchRequestTemplates: [FetchRequestTemplate]
    /// The named subsets of the entities, in any order.
    package var configurations: [ModelConfiguration]
    /// A name of the model's version for people; nothing in Anabranch depends on it.
    package var versionIdentifier: String?

    /// Declares a model.
    public init(
        entities: [EntityDeclaration],
        fetchRequestTemplates: [FetchRequestTemplate] = [],
        configurations: [ModelConfiguration] = [],
        versionIdentifier: String? = nil
    ) {
        self.entities = entities
        self.fetchRequestTemplates = fetchRequestTemplates
        self.configurations = configurations
        self.versionIdentifier = versionIdentifier
    }
}
