package import AnabranchModel
package import AnabranchReplication
import AnabranchSQLite

/// A record that has lost its cascade parent to a delete.
package struct OrphanRow: Sendable {
    package let id: LocalID
    package let entity: EntityDescription
    /// The to-one that points to the parent.
    package let relationship: RelationshipDescription
    package let parent: RecordID
}

extension StoreReader {
    /// Records with a reference to a parent that is not held or is dead, although the parent's
    /// delete rule is cascade. The replica that deleted the parent had not seen them.
    ///
    /// - Parameters:
    ///   - entity: The entity of the records, including its sub-entities; `nil` for all.
    ///   - limit: The greatest number of records; `nil` for all.
    /// - Returns: The orphans by relationship, in the order of the model, then by ID.
    package func orphans(
        of entity: EntityDescription? = nil, limit: Int? = nil, offset: Int = 0
    ) throws -> [OrphanRow] {
        var found: [OrphanRow] = []
        var rest = limit
        var skipped = offset
        for place in cascades(of: entity) {
            if rest == 0 { break }
            if skipped > 0 {
                let count = try count(of: place)
                if count <= skipped {
                    skipped -= count
                    continue
                }
            }
            let rows = try orphans(at: place, limit: rest, offset: skipped)
            skipped = 0
            rest = rest.map { $0 - rows.count }
            found += rows
        }
        return found
    }

    package func orphanCount(of entity: EntityDescription? = nil) throws -> Int {
        try cascades(of: entity).reduce(0) { $0 + (try count(of: $1)) }
    }

    /// A reference with a cascading inverse, and the entity of the holders that count.
    private struct Cascade {
        let relationship: RelationshipDescription
        let column: TableLayout.Column
        let table: TableLayout
        let entity: EntityDescription
    }

    private func cascades(of entity: EntityDescription?) -> [Cascade] {
        schema.tables.flatMap { table in
            table.columns.compactMap { column in
                guard let relationship = column.property.relationship,
                    relationship.inverse?.deleteRule == .cascade
                else { return nil }
                let declaring = relationship.entity
                guard let entity else {
                    return Cascade(
                        relationship: relationship, column: column, table: table,
                        entity: declaring)
                }
                guard entity.isKind(of: declaring) || declaring.isKind(of: entity) else {
                    return nil
                }
                return Cascade(
                    relationship: relationship, column: column, table: table,
                    entity: entity.isKind(of: declaring) ? entity : declaring)
            }
        }
    }

    /// The SELECT of the orphans of one relationship, including references that a view rule hides.
    ///
    /// A parent of an entity that this model does not know exists, although it is not visible. A
    /// parent that is a merged duplicate exists as well.
    private func source(of place: Cascade) throws -> String {
        let isShown =
            try MergedDuplicateRows.isEmpty(on: connection)
            ? "" : "AND NOT EXISTS (SELECT 1 FROM ab_shadow s WHERE s.record = "
        let redirected = HiddenReferences.Rule.redirected.rawValue
        let column = place.column.name
        let parents = schema.layout(of: place.relationship.destination).table.name
        let discriminator =
            place.table.hasDiscriminator
            ? "t.ab_entity" : "\(schema.layout(of: place.table.root).number)"
        func rows(_ from: String, _ parent: String, _ condition: String) -> String {
            """
            SELECT t.ab_pk AS id, \(discriminator) AS entity, \(parent) AS parent FROM \(from)
            WHERE \(condition) AND NOT EXISTS (SELECT 1 FROM \(parents) p
            WHERE p.ab_pk = \(parent)) AND NOT EXISTS (SELECT 1 FROM ab_deferred_record d
            WHERE d.record = \(parent) AND d.entity NOT IN (SELECT value FROM json_each(?1)))
            \(isShown.isEmpty ? "" : isShown + parent + ")")
            \(schema.restriction(to: place.entity, alias: "t", after: "AND"))
            """
        }
        return rows("\(place.table.name) t", "t.\(column)", "t.\(column) IS NOT NULL")
            + " UNION ALL "
            + rows(
                "ab_hidden h CROSS JOIN \(place.table.name) t ON t.ab_pk = h.record", "h.target",
                "h.property = \(place.column.number) AND h.rule <> \(redirected)")
    }

    private var knownEntities: String {
        let names = schema.model.entities.filter { !$0.isAbstract }.map {
            "\"" + $0.wireName.string.map { "\"\\".contains($0) ? "\\\($0)" : "\($0)" }.joined()
                + "\""
        }
        return "[" + names.joined(separator: ",") + "]"
    }

    private func count(of place: Cascade) throws -> Int {
        try connection.cached("SELECT count(*) FROM (\(try source(of: place)))", knownEntities)
            .first { Int($0.int64(at: 0)) } ?? 0
    }

    private func orphans(at place: Cascade, limit: Int?, offset: Int) throws -> [OrphanRow] {
        let statement = try connection.cached(
            try source(of: place) + " ORDER BY 1 LIMIT ?2 OFFSET ?3", knownEntities,
            Int64(limit ?? -1), Int64(offset))
        let replicas = try replicas()
        var found: [OrphanRow] = []
        while try statement.step() {
            guard let entity = schema.entity(numbered: statement.int64(at: 1)),
                let parent = replicas.record(statement.int64(at: 2))
            else { continue }
            found.append(
                OrphanRow(
                    id: statement.int64(at: 0), entity: entity, relationship: place.relationship,
                    parent: parent))
        }
        return found
    }
}
