import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

extension SaveOperation {
    /// Registers the records with derived attributes that depend on rows about to be deleted.
    /// Contexts that have registered these records are notified, including the saving context,
    /// which may not know the dependency.
    mutating func addOwners(of delete: SaveRequest.Records, _ layout: EntityLayout) throws {
        let backwards = schema.dependencies.backwards(from: delete.entity)
        guard !backwards.isEmpty else { return }
        let ids = delete.rows.map(\.id)
        let reader = StoreReader(connection, schema: schema)
        for relationship in backwards {
            if relationship.storage == .reference {
                try addTargets(of: ids, by: relationship, layout)
            } else if let inverse = relationship.inverse {
                for related in try reader.related(by: relationship, of: ids) {
                    owners.addUpdated(related.id, of: related.entity, slots: [inverse.slot])
                }
            }
        }
    }

    private mutating func addTargets(
        of ids: [LocalID], by relationship: RelationshipDescription, _ layout: EntityLayout
    ) throws {
        guard
            let column = layout.columns.first(where: { $0.property == .relationship(relationship) })
        else { return }
        let statement = try connection.cached(
            "SELECT DISTINCT \(column.name) FROM \(layout.table.name) "
                + "WHERE ab_pk IN (SELECT value FROM json_each(?))")
        try statement.bind(SQL.json(ids), at: 1)
        while try statement.step() {
            owners.addInverse(of: column, target: statement.slot(at: 0, as: .reference))
        }
    }
}
