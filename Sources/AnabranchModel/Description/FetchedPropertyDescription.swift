/// A fetched property of a checked model.
public struct FetchedPropertyDescription: Sendable {
    /// The declaration.
    package let declaration: FetchedProperty
    private let graph: ModelGraph
    private let owner: Int
    private let target: Int

    init(_ declaration: FetchedProperty, of owner: Int, fetching target: Int, graph: ModelGraph) {
        self.declaration = declaration
        self.owner = owner
        self.target = target
        self.graph = graph
    }

    /// The name.
    public var name: String { declaration.name }
    /// The entity that declares the property.
    public var entity: EntityDescription { graph.entities[owner] }
    /// The entity of the objects that the property finds.
    public var destination: EntityDescription { graph.entities[target] }
    /// The greatest number of results; `nil` is no limit.
    public var fetchLimit: Int? { declaration.fetchLimit }
}
