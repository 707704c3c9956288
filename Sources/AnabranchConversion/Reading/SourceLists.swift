import AnabranchModel
import AnabranchSQLite
import AnabranchStore

/// Reads the order of the source's ordered relationships.
///
/// The order of an ordered to-many is a column of numbers beside the references to its owner.
struct SourceLists {
    let context: SourceContext

    /// All lists of one-to-many relationships, and those of the inverses of join tables.
    ///
    /// The other lists have the order in which ``JoinRows`` reads their links, unless links are
    /// saved in the order of a history, or a list's relationship is its own inverse.
    func all() throws -> [SaveRequest.ListChange] {
        var found: [SaveRequest.ListChange] = []
        for source in context.layout.entities {
            for relationship in source.entity.relationships
            where relationship.entity == source.entity && relationship.isListEntry {
                found += try lists(of: relationship, in: source)
            }
        }
        for join in context.layout.joins {
            let relationship = join.relationship
            let isOwnInverse = relationship.inverse == relationship
            if relationship.isOrdered, isOwnInverse || context.history != nil {
                found += try lists(
                    of: relationship, join, owner: join.owner, member: join.other, join.order)
            }
            if let inverse = relationship.inverse, inverse.isOrdered, !isOwnInverse {
                found += try lists(
                    of: inverse, join, owner: join.other, member: join.owner, join.inverseOrder)
            }
        }
        return found
    }

    /// The lists to which the objects with a reference belong.
    private func lists(
        of reference: RelationshipDescription, in source: SourceLayout.SourceEntity
    ) throws -> [SaveRequest.ListChange] {
        guard let inverse = reference.inverse, let column = source.columns[reference.slot],
            let ownerTable = context.layout.table(of: reference.destination)
        else { return [] }
        let table = context.layout.roots[source.table].table
        let order = orderColumn(beside: column, of: inverse, in: table)
        let name = column.quotedForSQL
        let sorting = ([name] + JoinRows.order(order) + ["Z_PK"]).joined(separator: ", ")
        return try lists(
            of: inverse, ownerTable: ownerTable, memberTable: source.table,
            """
            SELECT \(name), Z_PK FROM \(table.quotedName) WHERE \(name) IS NOT NULL
            ORDER BY \(sorting)
            """)
    }

    private func orderColumn(
        beside column: String, of list: RelationshipDescription, in table: SourceTable
    ) -> String? {
        let name = "Z_FOK_" + column.uppercased().dropFirst()
        let order = table.columns.first { $0.uppercased() == name }
        if order == nil {
            context.doubts.add(
                entity: list.entity.name, property: list.name, found: "no column of its order",
                stored: "the order of the primary keys")
        }
        return order
    }

    private func lists(
        of relationship: RelationshipDescription, _ join: JoinTable, owner: String,
        member: String, _ order: String?
    ) throws -> [SaveRequest.ListChange] {
        guard let ownerTable = context.layout.table(of: relationship.entity),
            let memberTable = context.layout.table(of: relationship.destination)
        else { return [] }
        let (owner, member) = (owner.quotedForSQL, member.quotedForSQL)
        let sorting = ([owner] + JoinRows.order(order) + [member]).joined(separator: ", ")
        return try lists(
            of: relationship, ownerTable: ownerTable, memberTable: memberTable,
            """
            SELECT \(owner), \(member) FROM \(join.table.quotedName)
            WHERE \(owner) IS NOT NULL AND \(member) IS NOT NULL ORDER BY \(sorting)
            """)
    }

    /// Collects the members of each owner from rows of owners and members.
    private func lists(
        of relationship: RelationshipDescription, ownerTable: Int, memberTable: Int, _ sql: String
    ) throws -> [SaveRequest.ListChange] {
        var lists: [SaveRequest.ListChange] = []
        let statement = try context.file.connection.prepare(sql)
        var present: Int64?
        while try statement.step() {
            let (owner, member) = (statement.int64(at: 0), statement.int64(at: 1))
            guard context.rows.entity(ofKey: owner, inTable: ownerTable) != nil,
                context.rows.entity(ofKey: member, inTable: memberTable) != nil
            else { continue }
            if owner != present {
                lists.append(
                    SaveRequest.ListChange(
                        relationship: relationship,
                        owner: context.id(ofKey: owner, inTable: ownerTable), order: [],
                        placed: [], isEnd: true))
                present = owner
            }
            lists[lists.count - 1].order.append(context.id(ofKey: member, inTable: memberTable))
        }
        return lists
    }
}
