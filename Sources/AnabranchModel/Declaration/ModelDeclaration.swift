/// A whole model as values, before it is checked.
///
/// Two declarations that mean the same may differ in the order of their parts;
/// ``ManagedObjectModel/declaration`` has the canonical one.
public struct ModelDeclaration: Hashable, Sendable {
    public var entities: [Entity]
    public var fetchRequestTemplates: [FetchRequestTemplate]
    /// A name of the model's version, for people; nothing depends on it.
    public var versionIdentifier: String?

    public init(
        entities: [Entity],
        fetchRequestTemplates: [FetchRequestTemplate] = [],
        versionIdentifier: String? = nil
    ) {
        self.entities = entities
        self.fetchRequestTemplates = fetchRequestTemplates
        self.versionIdentifier = versionIdentifier
    }
}
