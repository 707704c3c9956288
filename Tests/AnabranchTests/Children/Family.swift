import Anabranch

extension Graph {
    /// Anna, saved in a parent, and a child beneath it.
    static func family(
        _ body: (Graph, _ parent: ManagedObjectContext, _ child: ManagedObjectContext) throws ->
            Void
    ) throws {
        let graph = try Graph()
        try graph.inContext { parent throws in
            try parent.person("Anna", age: 1)
            try parent.save()
            try body(graph, parent, parent.newChildContext())
        }
    }

    /// What the store has, as a context of its own reads it.
    func firstNames() throws -> [String] {
        try inContext { context throws in try context.people().map { $0.firstName ?? "" } }
    }
}
