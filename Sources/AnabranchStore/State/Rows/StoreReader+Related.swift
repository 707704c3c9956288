package import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

extension StoreReader {
    /// One end of a relationship.
    package struct Related: Sendable {
        package let owner: LocalID
        package let entity: EntityDescription
        package let id: LocalID
        /// The position in the owner's list; `nil` if the relationship is not ordered.
        fileprivate(set) var position: ListPosition?
    }

    /// The related objects of all owners, read in one SELECT.
    ///
    /// - Parameter relationship: A to-many, or a to-one that the inverse stores. For a to-one that
    ///   is its own inverse, the result is the records that refer to the owners, deleted ones too.
    /// - Parameter rows: Gets the row of each related object, as often as the object is related.
    /// - Returns: The related objects by owner, then by position for a list, and by ID for any
    ///   other to-many.
    package func related(
        by relationship: RelationshipDescription, of owners: [LocalID],
        rows: ((StoredRow) throws -> Void)? = nil
    ) throws -> [Related] {
        guard !owners.isEmpty else { return [] }
        let rows = rows.map { body in
            RelatedRows(
                selection: schema.rowSelection(of: relationship.destination), body: body)
        }
        switch relationship.storage {
        case .memory: return []
        case .reference where !relationship.isMutual: return []
        case .reference, .inverseReference: return try holders(relationship, of: owners, rows)
        case .links(let side):
            guard let links = schema.links(of: relationship) else { return [] }
            switch side {
            case .left: return try linked(relationship, links, "left", "right", owners, rows)
            case .right: return try linked(relationship, links, "right", "left", owners, rows)
            case .both:
                let first = try linked(relationship, links, "left", "right", owners, rows)
                let second = try linked(relationship, links, "right", "left", owners, rows)
                guard relationship.isOrdered else { return first + second }
                // A link of an object to itself is in both results.
                return try inOrder(first + second.filter { $0.owner != $0.id }, owners: owners)
            }
        }
    }

    private func holders(
        _ relationship: RelationshipDescription, of owners: [LocalID], _ rows: RelatedRows?
    ) throws -> [Related] {
        guard let inverse = relationship.inverse else { return [] }
        let table = schema.layout(of: inverse.entity).table
        guard let column = table.columns.first(where: { $0.property == .relationship(inverse) })
        else { return [] }
        let form = RelatedForm(relationship, isOfOne: owners.count == 1, hasRows: rows != nil)
        let sql = schema.relatedSQL(form) {
            """
            SELECT \(rows?.columns ?? "")t0.\(column.name), t0.ab_pk,
            \(discriminator(of: relationship.destination)),
            \(column.position.map { "t0.\($0)" } ?? "NULL")
            FROM \(form.owners)\(table.name) AS t0 WHERE t0.\(column.name) = \(form.owner)
            \(schema.restriction(to: inverse.entity, alias: "t0", after: "AND"))
            ORDER BY \(form.order)t0.ab_pk
            """
        }
        let found = try relateds(connection.cached(sql), owners: owners, rows)
        return relationship.isOrdered ? try inOrder(found, owners: owners) : found
    }

    private func linked(
        _ relationship: RelationshipDescription, _ links: LinkLayout, _ own: String,
        _ other: String, _ owners: [LocalID], _ rows: RelatedRows?
    ) throws -> [Related] {
        let form = RelatedForm(
            relationship, by: own, isOfOne: owners.count == 1, hasRows: rows != nil)
        let sql = schema.relatedSQL(form) {
            """
            SELECT \(rows?.columns ?? "")l.\(own), l.\(other),
            \(discriminator(of: relationship.destination)),
            \(relationship.isOrdered ? "l.\(own)_position" : "NULL")
            FROM \(form.owners)\(links.name) l
            CROSS JOIN \(schema.layout(of: relationship.destination).table.name) AS t0
            ON t0.ab_pk = l.\(other) WHERE l.\(own) = \(form.owner)
            ORDER BY \(form.order)l.\(other)
            """
        }
        let found = try relateds(connection.cached(sql), owners: owners, rows)
        return relationship.isOrdered ? try inOrder(found, owners: owners) : found
    }

    private func discriminator(of entity: EntityDescription) -> String {
        let layout = schema.layout(of: entity)
        return layout.table.hasDiscriminator ? "t0.ab_entity" : "\(layout.number)"
    }

    /// Reads owner, ID, entity and position from the last columns of each row.
    private func relateds(
        _ statement: Statement, owners: [LocalID], _ rows: RelatedRows?
    ) throws -> [Related] {
        if owners.count == 1 {
            try statement.bind(owners[0], at: 1)
        } else {
            try statement.bind(SQL.json(owners), at: 1)
        }
        let first = statement.columnCount - 4
        var found: [Related] = []
        try withExtendedLifetime(rows) {
            try statement.forEachRow { row in
                guard let entity = schema.entity(numbered: row[first + 2].int64) else { return }
                var related = Related(
                    owner: row[first].int64, entity: entity, id: row[first + 1].int64)
                if !row[first + 3].isNull {
                    related.position = ListPosition(bytes: row[first + 3].bytes)
                }
                found.append(related)
                try rows.map { try $0.body($0.selection.row(row)) }
            }
        }
        return found
    }

    /// Sorts by position. Objects without a position come first; objects with equal positions are
    /// sorted by record identity, as on every replica.
    private func inOrder(_ found: [Related], owners: [LocalID]) throws -> [Related] {
        let places = Dictionary(
            zip(owners, owners.indices), uniquingKeysWith: { first, _ in first })
        // Equal positions are rare, and the table of replicas can be long.
        var known: ReplicaTable?
        func record(_ id: LocalID) throws -> RecordID? {
            let replicas = try known ?? replicas()
            known = replicas
            return replicas.record(id)
        }
        return try found.sorted { left, right in
            let (leftPlace, rightPlace) = (places[left.owner] ?? 0, places[right.owner] ?? 0)
            if leftPlace != rightPlace { return leftPlace < rightPlace }
            if left.position != right.position {
                guard let leftPosition = left.position, let rightPosition = right.position else {
                    return left.position == nil
                }
                return leftPosition < rightPosition
            }
            guard let leftRecord = try record(left.id), let rightRecord = try record(right.id)
            else { return left.id < right.id }
            return leftRecord < rightRecord
        }
    }
}

/// The rows of related objects, which are read together with the relationship.
private struct RelatedRows {
    let selection: RowSelection
    let body: (StoredRow) throws -> Void

    var columns: String { selection.terms.joined(separator: ", ") + ", " }
}
