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
    /// - Returns: The related objects by owner, then by position for a list, and by ID for any
    ///   other to-many.
    package func related(
        by relationship: RelationshipDescription, of owners: [LocalID]
    ) throws -> [Related] {
        guard !owners.isEmpty else { return [] }
        switch relationship.storage {
        case .memory: return []
        case .reference where !relationship.isMutual: return []
        case .reference, .inverseReference: return try holders(relationship, of: owners)
        case .links(let side):
            guard let links = schema.links(of: relationship) else { return [] }
            switch side {
            case .left: return try linked(relationship, links, "left", "right", owners)
            case .right: return try linked(relationship, links, "right", "left", owners)
            case .both:
                let first = try linked(relationship, links, "left", "right", owners)
                let second = try linked(relationship, links, "right", "left", owners)
                guard relationship.isOrdered else { return first + second }
                // A link of an object to itself is in both results.
                return try inOrder(first + second.filter { $0.owner != $0.id }, owners: owners)
            }
        }
    }

    private func holders(
        _ relationship: RelationshipDescription, of owners: [LocalID]
    ) throws -> [Related] {
        guard let inverse = relationship.inverse else { return [] }
        let table = schema.layout(of: inverse.entity).table
        guard let column = table.columns.first(where: { $0.property == .relationship(inverse) })
        else { return [] }
        let position = column.position.map { "t.\($0)" }
        let statement = try connection.cached(
            """
            SELECT t.\(column.name), t.ab_pk, \(discriminator(of: relationship.destination)),
            \(position ?? "NULL")
            FROM json_each(?) j
            CROSS JOIN \(table.name) t ON t.\(column.name) = j.value
            \(restriction(to: inverse.entity, alias: "t", after: "WHERE"))
            ORDER BY j.key, t.ab_pk
            """)
        if relationship.isOrdered {
            return try relatedsInOrder(statement, owners: owners, position: 3)
        }
        return try relateds(statement, owners: owners)
    }

    private func linked(
        _ relationship: RelationshipDescription, _ links: LinkLayout, _ own: String,
        _ other: String, _ owners: [LocalID]
    ) throws -> [Related] {
        let table = schema.layout(of: relationship.destination).table
        let statement = try connection.cached(
            """
            SELECT l.\(own), l.\(other), \(discriminator(of: relationship.destination)),
            \(relationship.isOrdered ? "l.\(own)_position" : "NULL")
            FROM json_each(?) j
            CROSS JOIN \(links.name) l ON l.\(own) = j.value
            CROSS JOIN \(table.name) t ON t.ab_pk = l.\(other)
            ORDER BY j.key, l.\(other)
            """)
        guard relationship.isOrdered else { return try relateds(statement, owners: owners) }
        return try relatedsInOrder(statement, owners: owners, position: 3)
    }

    private func discriminator(of entity: EntityDescription) -> String {
        let layout = schema.layout(of: entity)
        return layout.table.hasDiscriminator ? "t.ab_entity" : "\(layout.number)"
    }

    private func relateds(
        _ statement: Statement, owners: [LocalID], position: Int? = nil
    ) throws -> [Related] {
        try statement.bind(SQL.json(owners), at: 1)
        var found: [Related] = []
        while try statement.step() {
            guard let entity = schema.entity(numbered: statement.int64(at: 2)) else { continue }
            var related = Related(
                owner: statement.int64(at: 0), entity: entity, id: statement.int64(at: 1))
            if let position, !statement.isNull(at: position) {
                related.position = ListPosition(bytes: statement.bytes(at: position))
            }
            found.append(related)
        }
        return found
    }

    private func relatedsInOrder(
        _ statement: Statement, owners: [LocalID], position: Int
    ) throws -> [Related] {
        try inOrder(relateds(statement, owners: owners, position: position), owners: owners)
    }

    /// Sorts by position. Objects without a position come first; objects with equal positions are
    /// sorted by record identity, as on every replica.
    private func inOrder(_ found: [Related], owners: [LocalID]) throws -> [Related] {
        let replicas = try replicas()
        let places = Dictionary(
            zip(owners, owners.indices), uniquingKeysWith: { first, _ in first })
        return found.sorted { left, right in
            let (leftPlace, rightPlace) = (places[left.owner] ?? 0, places[right.owner] ?? 0)
            if leftPlace != rightPlace { return leftPlace < rightPlace }
            if left.position != right.position {
                guard let leftPosition = left.position, let rightPosition = right.position else {
                    return left.position == nil
                }
                return leftPosition < rightPosition
            }
            guard let leftRecord = replicas.record(left.id),
                let rightRecord = replicas.record(right.id)
            else { return left.id < right.id }
            return leftRecord < rightRecord
        }
    }
}
