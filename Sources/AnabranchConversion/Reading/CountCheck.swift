import AnabranchModel
import AnabranchSQLite

/// Compares the numbers of related objects with what the model allows.
struct CountCheck {
    let context: SourceContext

    func run() throws {
        for source in context.layout.entities where !source.entity.isAbstract {
            for relationship in source.entity.relationships where relationship.storage != .reference
            {
                guard let sql = sql(for: relationship, source) else { continue }
                let statement = try context.file.connection.prepare(sql)
                while try statement.step() {
                    report(
                        source.entity, statement.int64(at: 0), relationship, statement.int64(at: 1))
                }
            }
        }
    }

    private func report(
        _ entity: EntityDescription, _ key: Int64, _ relationship: RelationshipDescription,
        _ count: Int64
    ) {
        let objects = count == 0 ? "nothing" : count == 1 ? "1 object" : "\(count) objects"
        let reason =
            count == 0
            ? "it is not optional"
            : count < relationship.minCount
                ? "there must be at least \(relationship.minCount)"
                : "there may be at most \(relationship.maxCount ?? 1)"
        context.doubts.add(
            entity, key, relationship.name, found: objects, stored: "the same, though \(reason)")
    }

    /// Finds the objects with a number of related objects that is not allowed; `nil` if every
    /// number is.
    private func sql(
        for relationship: RelationshipDescription, _ source: SourceLayout.SourceEntity
    ) -> String? {
        guard let condition = condition(relationship),
            let (table, column) = ends(of: relationship)
        else { return nil }
        let owners = context.layout.roots[source.table].table.quotedName
        return """
            SELECT o.Z_PK, count(m.\(column)) AS members FROM \(owners) o
            LEFT JOIN \(table) m ON m.\(column) = o.Z_PK
            WHERE o.Z_PK IN (SELECT Z_PK FROM \(owners) WHERE \(source.condition))
            GROUP BY o.Z_PK HAVING \(condition)
            """
    }

    private func condition(_ relationship: RelationshipDescription) -> String? {
        var terms: [String] = []
        if !relationship.isOptional { terms.append("members = 0") }
        if relationship.isToMany, relationship.minCount > 1 {
            terms.append("members > 0 AND members < \(relationship.minCount)")
        }
        if relationship.isToMany, let most = relationship.maxCount {
            terms.append("members > \(most)")
        }
        return terms.isEmpty ? nil : terms.map { "(\($0))" }.joined(separator: " OR ")
    }

    /// The table with one row for each related object, and its column of the owners' keys.
    private func ends(of relationship: RelationshipDescription) -> (String, String)? {
        let layout = context.layout
        switch relationship.storage {
        case .reference, .memory: return nil
        case .inverseReference:
            guard let inverse = relationship.inverse, let member = layout[inverse.entity],
                let column = member.columns[inverse.slot]
            else { return nil }
            return (layout.roots[member.table].table.quotedName, column.quotedForSQL)
        case .links:
            let stored = relationship.storedSide
            guard let join = layout.joins.first(where: { $0.relationship == stored }) else {
                return nil
            }
            let column = stored == relationship ? join.owner : join.other
            return (join.table.quotedName, column.quotedForSQL)
        }
    }
}
