import AnabranchModel
import AnabranchReplication

// A derived attribute has no column: it is an expression in every SELECT, condition and sort. So it
// is correct, whichever change set last wrote the properties from which it is computed.
extension PredicateSQL {
    /// The SQL expression of a derived attribute, for the row that an alias names.
    ///
    /// Its values have the type that a column of the attribute would have.
    static func derived(
        _ attribute: AttributeDescription, of alias: String, in naming: any SchemaNaming
    ) -> String {
        PredicateSQL(naming: naming, store: nil).expression(of: attribute, alias: alias)
    }

    /// The SQL of a derived attribute inside a predicate.
    ///
    /// - Parameter isOptional: True if the row may be missing; the value is then NULL.
    func derived(
        _ attribute: AttributeDescription, of alias: String, isOptional: Bool
    ) throws(FetchPredicateError) -> String {
        try height.check(.derivation)
        let expression = expression(of: attribute, alias: alias)
        guard isOptional else { return expression }
        return "CASE WHEN \(alias).ab_pk IS NOT NULL THEN \(expression) END"
    }

    private func expression(of attribute: AttributeDescription, alias: String) -> String {
        switch attribute.derivation {
        case .now: Self.time(of: alias)
        case .value(let form, let source, let steps):
            Self.transformed(value(of: source, through: steps, from: alias), form)
        case .count(let relationship):
            attribute.type.clamped("(SELECT count(*) FROM \(members(relationship, of: alias)))")
        case .sum(let relationship, let source):
            attribute.type.clamped(sum(of: source, relationship, of: alias))
        // The validation of the model has already parsed the expression.
        case nil: "NULL"
        }
    }

    /// The greatest time of the change sets that wrote the row; usually there is only one.
    private static func time(of alias: String) -> String {
        let rest = """
            (SELECT max(coalesce((SELECT c.hlc FROM ab_changeset AS c WHERE c.position = w.value), \
            (SELECT s.hlc FROM ab_stamp AS s WHERE s.position = w.value))) \
            FROM json_each(ab_writers(\(alias).ab_version, \(alias).ab_writes)) AS w)
            """
        let single = """
            (SELECT c.hlc FROM ab_changeset AS c WHERE c.position = \(alias).ab_version \
            AND \(alias).ab_writes IS NULL)
            """
        // A timestamp has the milliseconds since 1970 in its high 48 bits; dates count from 2001.
        return "((coalesce(\(single), \(rest)) >> 16) / 1000.0 - 978307200.0)"
    }

    private static func transformed(_ value: String, _ form: DerivedText?) -> String {
        switch form {
        case .canonical: "ab_fold(\(value), 'cd')"
        case .lowercase: "ab_case(\(value), 'l')"
        case .uppercase: "ab_case(\(value), 'u')"
        case nil: value
        }
    }

    private func value(
        of source: AttributeDescription, through steps: [RelationshipDescription],
        from alias: String
    ) -> String {
        let column = naming.column(for: .attribute(source))
        guard !steps.isEmpty else { return "\(alias).\(column)" }
        var joins = ""
        for (index, step) in steps.enumerated() {
            joins += join(step, from: index == 0 ? alias : "d\(index)", as: "d\(index + 1)")
        }
        return "(SELECT d\(steps.count).\(column) FROM (SELECT 1)\(joins))"
    }

    private func sum(
        of source: AttributeDescription, _ relationship: RelationshipDescription,
        of alias: String
    ) -> String {
        let column = "m.\(naming.column(for: .attribute(source)))"
        let rows = members(relationship, of: alias)
        switch source.type {
        case .double, .float: return "(SELECT total(\(column)) FROM \(rows))"
        case .decimal: return "(SELECT ab_sum(group_concat(\(column)), 'd') FROM \(rows))"
        default: return "(SELECT ab_sum(group_concat(\(column)), 'i') FROM \(rows))"
        }
    }

    /// The SQL after FROM that selects the related objects of a to-many relationship. The alias of
    /// their table is `m`.
    ///
    /// - Parameter owner: The alias of the row that has the relationship.
    private func members(_ relationship: RelationshipDescription, of owner: String) -> String {
        let table = naming.table(for: relationship.destination)
        if relationship.storage == .inverseReference, let inverse = relationship.inverse {
            let column = naming.column(for: .relationship(inverse))
            return "\(table) AS m WHERE m.\(column) = \(owner).ab_pk"
        }
        let links = naming.linkTable(for: relationship)
        let (own, other) = (links.ownColumn, links.otherColumn)
        guard relationship.storage == .links(.both) else {
            return "\(links.name) AS l JOIN \(table) AS m ON m.ab_pk = l.\(other) "
                + "WHERE l.\(own) = \(owner).ab_pk"
        }
        // The owner may be either end of the link.
        return "\(table) AS m WHERE m.ab_pk IN (SELECT \(other) FROM \(links.name) "
            + "WHERE \(own) = \(owner).ab_pk UNION SELECT \(own) FROM \(links.name) "
            + "WHERE \(other) = \(owner).ab_pk)"
    }
}

extension AttributeType {
    /// Limits a number to the range of the type.
    fileprivate func clamped(_ number: String) -> String {
        switch self {
        case .integer16: "max(-32768, min(32767, \(number)))"
        case .integer32: "max(-2147483648, min(2147483647, \(number)))"
        default: number
        }
    }
}
