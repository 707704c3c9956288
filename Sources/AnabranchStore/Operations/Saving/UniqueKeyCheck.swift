import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// Finds records that hold one unique key, among those that a save has written.
///
/// Null never equals null. Only saves are checked: concurrent changes of two replicas are applied
/// as they are.
struct UniqueKeyCheck {
    private let connection: Connection
    private let schema: StoreSchema
    private let views: ViewRules
    private var conflicts: [KeyConflict] = []
    /// The index of a record's conflict, by constraint.
    private var places: [Holder: Int] = [:]
    /// The entity of the first record with a conflict.
    private var entity: EntityDescription?

    private struct Holder: Hashable {
        let constraint: Int64
        let record: LocalID
    }

    init(_ transaction: StateTransaction) {
        connection = transaction.connection
        schema = transaction.schema
        views = transaction.views
    }

    /// Checks the constraints of a request.
    ///
    /// - Throws: ``StoreError`` with code `constraintConflict`, with one conflict for each key,
    ///   whatever entities of a hierarchy its records have.
    mutating func check(_ request: SaveRequest) throws {
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
        if let entity { throw KeyConflicts(conflicts).error(in: entity) }
    }

    /// Checks one constraint. Records that showed as one before the save do not conflict with each
    /// other.
    private mutating func check(
        _ constraint: UniqueConstraint, of entity: EntityDescription, ids: [LocalID]
    ) throws {
        let statement = try connection.cached(sql(for: constraint, of: entity))
        for id in ids {
            try statement.bind(id, at: 1)
            defer { statement.reset() }
            while try statement.step() {
                let other = statement.int64(at: 0)
                if views.wereOne(id, other) { continue }
                if self.entity == nil { self.entity = entity }
                add(views.visibleBefore[id] ?? id, views.visibleBefore[other] ?? other, constraint)
            }
        }
    }

    private mutating func add(_ id: LocalID, _ other: LocalID, _ constraint: UniqueConstraint) {
        let holders = [id, other].map { Holder(constraint: constraint.number, record: $0) }
        let place = places[holders[0]] ?? places[holders[1]] ?? conflicts.count
        if place == conflicts.count {
            conflicts.append(
                KeyConflict(
                    attributes: constraint.attributes, owner: constraint.owner, records: []))
        }
        for holder in holders where places[holder] == nil {
            places[holder] = place
            conflicts[place].records.append(holder.record)
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
