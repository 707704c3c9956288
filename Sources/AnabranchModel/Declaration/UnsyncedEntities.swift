import AnabranchReplication

/// The entities of a declaration that are kept in one store only.
struct UnsyncedEntities {
    private let configurations: [WireName: String]

    init(_ declaration: ModelDeclaration) {
        let members = declaration.configurations.filter { !$0.isSynced }.flatMap { configuration in
            configuration.entities.map { (WireName($0), configuration.name) }
        }
        configurations = Dictionary(members, uniquingKeysWith: { first, _ in first })
    }

    var isEmpty: Bool { configurations.isEmpty }

    /// The name of the first unsynced configuration that has an entity; `nil` if the entity is
    /// synced.
    func configuration(of entity: String) -> String? { configurations[WireName(entity)] }
}
