import AnabranchModel

/// The form of a SELECT of related objects. The schema has one SELECT for each form.
///
/// Its columns are those of a whole row, or the ID and, if the table has one, the discriminator;
/// then the position in a list, if the relationship is ordered, and the owner.
struct RelatedForm: Hashable {
    let relationship: RelationshipDescription
    /// The column of the owners in a table of links; empty if the rows refer to their owners.
    var column = ""
    let hasRows: Bool

    /// - Returns: `nil` if no table has the relationship.
    func select(in schema: StoreSchema) -> SelectByID? {
        column.isEmpty ? holders(in: schema) : linked(in: schema)
    }

    private func holders(in schema: StoreSchema) -> SelectByID? {
        guard let inverse = relationship.inverse else { return nil }
        let table = schema.layout(of: inverse.entity).table
        guard let column = table.columns.first(where: { $0.property == .relationship(inverse) })
        else { return nil }
        let restriction = schema.restriction(to: inverse.entity, alias: "t0", after: "AND")
        return SelectByID { id in
            let position = column.position.map { "t0.\($0)" }
            return (
                columns(of: column, id, in: schema)
                    + (relationship.isOrdered ? [position ?? "NULL"] : []) + [id],
                "\(table.name) AS t0 WHERE t0.\(column.name) = \(id) \(restriction)"
            )
        }
    }

    private func linked(in schema: StoreSchema) -> SelectByID? {
        guard let links = schema.links(of: relationship) else { return nil }
        let table = schema.layout(of: relationship.destination).table
        let other = column == "left" ? "right" : "left"
        return SelectByID { id in
            (
                columns(of: nil, id, in: schema)
                    + (relationship.isOrdered ? ["l.\(column)_position"] : []) + [id],
                """
                \(links.name) AS l CROSS JOIN \(table.name) AS t0 ON t0.ab_pk = l.\(other)
                WHERE l.\(column) = \(id)
                """
            )
        }
    }

    /// - Parameter reference: The column that refers to the owner, if there is one.
    private func columns(
        of reference: TableLayout.Column?, _ id: String, in schema: StoreSchema
    ) -> [String] {
        let entity = relationship.destination
        guard hasRows else {
            let isMixed = schema.layout(of: entity).table.hasDiscriminator
            return isMixed ? ["t0.ab_pk", "t0.ab_entity"] : ["t0.ab_pk"]
        }
        let selection = schema.rowSelection(of: entity)
        return reference.map { selection.terms(where: $0, is: id, in: schema) } ?? selection.terms
    }
}
