/// The entities of one model, reachable from each of its descriptions.
///
/// Descriptions refer to each other in circles, through this table. So a model, once made, stays
/// in memory until the process ends; an app makes one per model version.
final class ModelGraph: Sendable {
    /// Written once, before the model is handed out.
    private nonisolated(unsafe) var table: [EntityDescription] = []

    var entities: [EntityDescription] { table }

    /// - Parameter declaration: Normalized and without problems.
    init(_ declaration: ModelDeclaration) {
        table = GraphBuilder(declaration, graph: self).build()
    }
}

/// Where a property is: its declaring entity and its slot there, which sub-entities share.
struct PropertyPlace: Hashable, Sendable {
    let entity: Int
    let slot: Int
}
