import AnabranchModel
import AnabranchReplication

extension PredicateSQL {
    /// The different values that an attribute under `keepBoth` holds, in a column of the
    /// attribute's name: the one in the row, and those beside it in `ab_deferred_cell`.
    ///
    /// If a row shows several records with one unique key, the cells of all these records count.
    /// The shown value of such a row is among them too, and so is that of a former property.
    ///
    /// - Parameters:
    ///   - owner: The alias of the row that has the attribute.
    ///   - alias: The alias of the values.
    mutating func heldValues(
        of collection: ResolvedCollection, at owner: String, as alias: String
    ) throws(FetchPredicateError) -> CollectionSource {
        guard case .attribute(let attribute) = collection.property else {
            preconditionFailure("\(collection.property) holds no values.")
        }
        try height.check(.heldValues)
        let column = naming.column(for: collection.property)
        var queries = ["SELECT \(owner).\(column) AS \(column)"]
        queries.append(cells(of: attribute, in: column, at: owner))
        if naming.mergesDuplicates {
            queries.append(cells(of: attribute, in: column, at: owner, ofMembers: true))
        }
        return CollectionSource(
            table: "(\(queries.joined(separator: " UNION "))) AS \(alias)",
            condition: collection.owner.steps.isEmpty ? "1" : "\(owner).ab_pk IS NOT NULL",
            tableCount: 1)
    }

    /// The SELECT of the values beside the shown one. No value comes before them in the statement,
    /// so the default may be bound.
    ///
    /// - Parameter ofMembers: True for the values of all records that the row shows.
    private mutating func cells(
        of attribute: AttributeDescription, in column: String, at owner: String,
        ofMembers: Bool = false
    ) -> String {
        let (property, whenNull) = (attribute.wireProperty, attribute.valueWhenNull)
        let held = "ab_held(c.value, c.type, c.rule, \(property.type.rawValue), \(owner).\(column))"
        let value = whenNull.isNull ? held : "coalesce(\(held), \(bind(whenNull)))"
        let name = SQL.text(property.name.string)
        guard ofMembers else {
            return "SELECT \(value) FROM ab_deferred_cell AS c "
                + "WHERE c.record = \(owner).ab_pk AND c.name = \(name)"
        }
        return "SELECT \(value) FROM ab_shadow AS m CROSS JOIN ab_deferred_cell AS c "
            + "ON c.record = m.record WHERE m.visible = \(owner).ab_pk AND c.name = \(name)"
    }
}
