package import AnabranchModel
package import AnabranchReplication
import AnabranchSQLite

/// A reference that a record holds and a view rule hides.
package struct HiddenReferenceRow: Sendable {
    package let id: LocalID
    package let entity: EntityDescription
    package let relationship: RelationshipDescription
    package let target: RecordID
}

extension StoreReader {
    /// The references that view rules hide, by relationship, in the order of the model, then by ID.
    /// References to merged duplicates are left out, because they show the surviving record.
    ///
    /// - Parameters:
    ///   - entity: The entity of the holders, including its sub-entities; `nil` for all.
    ///   - limit: The greatest number of references; `nil` for all.
    package func hiddenReferences(
        of entity: EntityDescription? = nil, limit: Int? = nil, offset: Int = 0
    ) throws -> [HiddenReferenceRow] {
        let replicas = try replicas()
        let columns = schema.tables.flatMap { table in
            table.viewRuleColumns.map { (table, $0) }
        }.filter { entity == nil || entity?.root == $0.1.root }
        var found: [HiddenReferenceRow] = []
        var (rest, skipped) = (limit ?? .max, offset)
        for (table, column) in columns where rest > 0 {
            guard let relationship = column.column.property.relationship else { continue }
            let rows = try holders(table, column, entity, replicas, relationship)
            let taken = rows.dropFirst(skipped).prefix(rest)
            skipped -= min(skipped, rows.count)
            rest -= taken.count
            found += taken
        }
        return found
    }

    private func holders(
        _ table: TableLayout, _ column: ViewRuleColumn, _ entity: EntityDescription?,
        _ replicas: ReplicaTable, _ relationship: RelationshipDescription
    ) throws -> [HiddenReferenceRow] {
        let discriminator =
            table.hasDiscriminator
            ? "t.ab_entity" : "\(schema.layout(of: table.root).number)"
        let statement = try connection.cached(
            """
            SELECT t.ab_pk, \(discriminator), h.target FROM ab_hidden h
            CROSS JOIN \(table.name) t ON t.ab_pk = h.record
            WHERE h.property = \(column.column.number)
            AND h.rule <> \(HiddenReferences.Rule.redirected.rawValue)
            \(entity.map { schema.restriction(to: $0, alias: "t", after: "AND") } ?? "")
            ORDER BY t.ab_pk
            """)
        var found: [HiddenReferenceRow] = []
        while try statement.step() {
            guard let entity = schema.entity(numbered: statement.int64(at: 1)),
                let target = replicas.record(statement.int64(at: 2))
            else { continue }
            found.append(
                HiddenReferenceRow(
                    id: statement.int64(at: 0), entity: entity, relationship: relationship,
                    target: target))
        }
        return found
    }
}
