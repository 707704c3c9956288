package import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

extension StoreReader {
    /// The records that some records reach along a relationship to objects which have it again, in
    /// one SELECT: first the records themselves, then those at the distance of one step, and so on.
    ///
    /// - Parameters:
    ///   - relationship: A to-one of the rows, or a relationship that its inverse stores. Of any
    ///     other one the result is empty.
    ///   - limit: The greatest number of records in the result.
    package func reached(
        by relationship: RelationshipDescription, from owners: [LocalID], limit: Int
    ) throws -> [LocalID] {
        let isStored = relationship.storage == .reference
        let stored = isStored ? relationship : relationship.inverse
        guard let stored, isStored || relationship.storage == .inverseReference else { return [] }
        let table = schema.layout(of: stored.entity).table
        guard let column = table.columns.first(where: { $0.property == .relationship(stored) })
        else { return [] }
        let step =
            isStored
            ? "SELECT t.\(column.name) FROM reached CROSS JOIN \(table.name) t "
                + "ON t.ab_pk = reached.id WHERE t.\(column.name) IS NOT NULL"
            : "SELECT t.ab_pk FROM reached CROSS JOIN \(table.name) t "
                + "ON t.\(column.name) = reached.id"
        let statement = try connection.cached(
            """
            WITH RECURSIVE reached(id) AS (
                SELECT value FROM json_each(?1) UNION \(step) LIMIT ?2)
            SELECT id FROM reached
            """, SQL.json(owners), Int64(limit))
        var ids: [LocalID] = []
        try statement.forEachRow { ids.append($0[0].int64) }
        return ids
    }
}
