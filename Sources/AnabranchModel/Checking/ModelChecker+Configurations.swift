import AnabranchReplication

extension ModelChecker {
    /// Checks the names and members of configurations, and that entities which are not synced have
    /// nothing to do with synced ones.
    mutating func checkConfigurations() {
        var names: Set<WireName> = []
        for configuration in declaration.configurations {
            let lead = "Can't use configuration \(configuration.name) because"
            if configuration.name.isEmpty {
                refuse(.invalidName, nil, nil, "\(lead) its name is empty.")
            }
            if !names.insert(WireName(configuration.name)).inserted {
                refuse(.duplicateName, nil, nil, "\(lead) there are two of that name.")
            }
            for entity in configuration.entities where index.position(of: entity) == nil {
                refuse(
                    .unknownEntity, entity, nil,
                    "\(lead) there is no entity \(entity).\(hint(forEntity: entity))")
            }
        }
        let unsynced = UnsyncedEntities(declaration)
        guard !unsynced.isEmpty else { return }
        for position in entities.indices {
            checkHierarchy(of: position, unsynced)
            for relationship in entities[position].relationships {
                check(relationship, declaredBy: position, unsynced)
            }
        }
    }

    /// The records of a hierarchy share one table, so all of them are synced or none.
    private mutating func checkHierarchy(of position: Int, _ unsynced: UnsyncedEntities) {
        let entity = entities[position]
        guard let name = entity.parent, let parent = index.position(of: name) else { return }
        let (own, other) = (
            unsynced.configuration(of: entity.name), unsynced.configuration(of: name)
        )
        guard (own == nil) != (other == nil), let configuration = own ?? other else { return }
        let missing = own == nil ? entity.name : entities[parent].name
        refuse(
            .invalidProperty, entity.name, nil,
            "Can't keep only a part of a hierarchy in this store: entity \(entity.name) inherits "
                + "from \(name), and only one of them is in the configuration \(configuration), "
                + "which is not synced. Add \(missing) to it.")
    }

    private mutating func check(
        _ relationship: RelationshipDeclaration, declaredBy position: Int,
        _ unsynced: UnsyncedEntities
    ) {
        let entity = entities[position].name
        let own = unsynced.configuration(of: entity)
        let other = unsynced.configuration(of: relationship.destination)
        guard (own == nil) != (other == nil), let configuration = own ?? other else { return }
        let local = own == nil ? relationship.destination : entity
        refuse(
            .invalidProperty, entity, relationship.name,
            "Can't relate \(entity) to \(relationship.destination) by \(entity)."
                + "\(relationship.name) because \(local) is in the configuration "
                + "\(configuration), which is not synced, and the other one is synced. Keep the "
                + "identity of the object in an attribute instead, as UUID or URI.")
    }
}
