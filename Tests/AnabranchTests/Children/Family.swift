import Anabranch

extension Graph {
    /// Runs `body` with Anna, saved in a parent context, and a child of that context.
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

    /// Returns the first names in the store, read in a new context.
    func firstNames() throws -> [String] {
        try inContext { context throws in try context.people().map { $0.firstName ?? "" } }
    }
}
