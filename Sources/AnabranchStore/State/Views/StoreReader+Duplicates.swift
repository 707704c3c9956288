package import AnabranchModel
package import AnabranchReplication
import AnabranchSQLite

/// A set of records that hold one unique key and show as one.
package struct DuplicateRow: Sendable {
    /// The surviving record, which is visible.
    package let id: LocalID
    package let entity: EntityDescription
    /// The members of the set, including the surviving record, ascending.
    package let members: [RecordID]
    /// The writes of the members that the object does not show.
    package let hidden: [HiddenWriteRow]
}

extension StoreReader {
    /// Sets of records that show as one because they were inserted with, or given, one key on
    /// different replicas.
    ///
    /// - Parameters:
    ///   - entity: The entity of the surviving records, including its sub-entities; `nil` for all.
    ///   - limit: The greatest number of sets; `nil` for all.
    /// - Returns: The sets in the order of the model, then by ID.
    package func duplicates(
        of entity: EntityDescription? = nil, limit: Int? = nil, offset: Int = 0
    ) throws -> [DuplicateRow] {
        guard try !MergedDuplicateRows.isEmpty(on: connection) else { return [] }
        let statement = try connection.cached(
            source(of: entity) + " LIMIT ?1 OFFSET ?2", Int64(limit ?? -1), Int64(offset))
        let replicas = try replicas()
        let reader = try ObjectWritesReader(self, replicas: replicas)
        let sets = MergedDuplicateRows(connection, isUsed: true)
        var found: [DuplicateRow] = []
        while try statement.step() {
            guard let entity = schema.entity(numbered: statement.int64(at: 1)) else { continue }
            let id = statement.int64(at: 0)
            found.append(
                DuplicateRow(
                    id: id, entity: entity,
                    members: try sets.members(of: id).compactMap(replicas.record).sorted(),
                    hidden: try reader.hiddenWrites(of: id, entity)))
        }
        return found
    }

    package func duplicateCount(of entity: EntityDescription? = nil) throws -> Int {
        guard try !MergedDuplicateRows.isEmpty(on: connection) else { return 0 }
        return try connection.cached("SELECT count(*) FROM (\(source(of: entity)))").first {
            Int($0.int64(at: 0))
        } ?? 0
    }

    private func source(of entity: EntityDescription?) -> String {
        let selects = schema.tables.enumerated().compactMap { place, table -> String? in
            guard entity == nil || entity?.root == table.root else { return nil }
            let discriminator =
                table.hasDiscriminator
                ? "t.ab_entity" : "\(schema.layout(of: table.root).number)"
            return """
                SELECT t.ab_pk AS id, \(discriminator) AS entity, \(place) AS place
                FROM ab_shadow s CROSS JOIN \(table.name) t ON t.ab_pk = s.record
                WHERE s.record = s.visible
                \(entity.map { schema.restriction(to: $0, alias: "t", after: "AND") } ?? "")
                """
        }
        return selects.joined(separator: " UNION ALL ") + " ORDER BY place, id"
    }
}
