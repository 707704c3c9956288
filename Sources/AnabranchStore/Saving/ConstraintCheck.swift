import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// Finds records that hold one unique key, among those that a save has written.
///
/// Null never equals null. The check is for saves only: what two replicas have written
/// concurrently is applied as it is.
struct ConstraintCheck {
    private let connection: Connection
    private let schema: StoreSchema
    private let views: ViewRules

    init(_ transaction: WriteTransaction) {
        connection = transaction.connection
        schema = transaction.schema
        views = transaction.views
    }

    func check(_ request: SaveRequest) throws {
        for insert in request.inserts {
            for constraint in schema.layout(of: insert.entity).constraints {
                try check(constraint, of: insert.entity, ids: insert.rows.ids)
            }
        }
        for update in request.updates {
            for constraint in schema.layout(of: update.entity).constraints
            where constraint.attributes.contains(where: { update.rows.slots.contains($0.slot) }) {
                try check(constraint, of: update.entity, ids: update.rows.ids)
            }
        }
    }

    /// Records that were shown as one before the save do not refuse each other.
    private func check(
        _ constraint: UniqueConstraint, of entity: EntityDescription, ids: [LocalID]
    ) throws {
        let statement = try connection.cached(sql(for: constraint, of: entity))
        for id in ids {
            try statement.bind(id, at: 1)
            defer { statement.reset() }
            while try statement.step() {
                let other = statement.int64(at: 0)
                if views.wereOne(id, other) { continue }
                throw constraint.conflict(
                    of: [views.visibleBefore[id] ?? id, views.visibleBefore[other] ?? other],
                    in: entity)
            }
        }
    }

    /// Finds other rows of the declaring entity with the same key; parameter 1 is the row ID.
    private func sql(for constraint: UniqueConstraint, of entity: EntityDescription) -> String {
        var terms = [constraint.equality("o", "t")]
        if schema.layout(of: entity).table.hasDiscriminator {
            let numbers = constraint.owner.hierarchy.map { "\(schema.layout(of: $0).number)" }
            terms.append("o.ab_entity IN (\(numbers.joined(separator: ", ")))")
        }
        return """
            SELECT o.ab_pk FROM \(constraint.table) t JOIN \(constraint.table) o
            ON \(terms.joined(separator: " AND ")) AND o.ab_pk <> t.ab_pk
            WHERE t.ab_pk = ?
            """
    }
}
