import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// Finds records that hold one unique key, among those that a save has written.
///
/// Null never equals null. The check is for saves only: what two replicas have written
/// concurrently is applied as it is.
struct ConstraintCheck {
    let connection: Connection
    let schema: StoreSchema

    init(_ connection: Connection, schema: StoreSchema) {
        self.connection = connection
        self.schema = schema
    }

    func check(_ request: SaveRequest) throws {
        for insert in request.inserts {
            for constraint in Self.constraints(of: insert.entity) {
                try check(constraint, of: insert.entity, ids: insert.rows.ids)
            }
        }
        for update in request.updates {
            for constraint in Self.constraints(of: update.entity)
            where constraint.attributes.contains(where: { update.rows.slots.contains($0.slot) }) {
                try check(constraint, of: update.entity, ids: update.rows.ids)
            }
        }
    }

    /// One constraint, and the entity among whose objects it holds.
    private struct Constraint {
        let owner: EntityDescription
        let attributes: [AttributeDescription]
    }

    private static func constraints(of entity: EntityDescription) -> [Constraint] {
        let inherited = entity.superentity.map(constraints) ?? []
        return inherited
            + entity.ownUniquenessConstraints.map { Constraint(owner: entity, attributes: $0) }
    }

    private func check(
        _ constraint: Constraint, of entity: EntityDescription,
        ids: [LocalID]
    ) throws {
        guard let sql = sql(for: constraint, of: entity) else { return }
        let statement = try connection.cached(sql)
        for id in ids {
            try statement.bind(id, at: 1)
            guard try statement.step() else { continue }
            let other = statement.int64(at: 0)
            statement.reset()
            let names = constraint.attributes.map(\.name).joined(separator: ", ")
            throw StoreError(
                .constraintConflict,
                "Can't save because another \(entity.name) has the same \(names); change one of "
                    + "the two.", entity: entity.name, property: constraint.attributes.first?.name,
                records: [id, other])
        }
    }

    /// Finds another row of the declaring entity with the same key; parameter 1 is the row ID.
    private func sql(
        for constraint: Constraint, of entity: EntityDescription
    ) -> String? {
        let layout = schema.layout(of: entity)
        let columns = constraint.attributes.compactMap { layout.column(of: $0) }
        guard !columns.isEmpty, columns.count == constraint.attributes.count else { return nil }
        var terms = columns.map { "o.\($0.name) = t.\($0.name)\($0.kind.collation)" }
        if layout.table.hasDiscriminator {
            let numbers = constraint.owner.hierarchy.map { "\(schema.layout(of: $0).number)" }
            terms.append("o.ab_entity IN (\(numbers.joined(separator: ", ")))")
        }
        return """
            SELECT o.ab_pk FROM \(layout.table.name) t JOIN \(layout.table.name) o
            ON \(terms.joined(separator: " AND ")) AND o.ab_pk <> t.ab_pk
            WHERE t.ab_pk = ? LIMIT 1
            """
    }
}
