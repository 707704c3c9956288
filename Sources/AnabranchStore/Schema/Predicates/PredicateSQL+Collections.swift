import AnabranchModel
import AnabranchReplication

// To-many relationships: counts, tests for existence, and values computed from all elements.

extension PredicateSQL {
    mutating func count(
        _ collection: ResolvedCollection, _ filter: ResolvedPredicate?
    ) throws(FetchPredicateError) -> String {
        let selection = ResolvedSelection(collection: collection, filter: filter)
        return try reduced([selection]) { _ throws(FetchPredicateError) in "count(*)" }
    }

    mutating func exists(
        _ collection: ResolvedCollection, _ inner: ResolvedPredicate
    ) throws(FetchPredicateError) -> String {
        let filter: ResolvedPredicate? = inner == .constant(true) ? nil : inner
        let selection = ResolvedSelection(collection: collection, filter: filter)
        let query = try nested(.exists, of: collection.property.relationship) {
            writer throws(FetchPredicateError) in
            try writer.query([selection]) { _ throws(FetchPredicateError) in "1" }
        }
        return "EXISTS (\(query))"
    }

    /// A SELECT of one value computed from all elements of collections, which is NULL if the object
    /// that has the first collection is missing.
    mutating func reduced(
        _ selections: [ResolvedSelection],
        _ value: (inout PredicateSQL) throws(FetchPredicateError) -> String
    ) throws(FetchPredicateError) -> String {
        let collection = selections[0].collection
        let isOptional = !collection.owner.steps.isEmpty
        let step = isOptional ? StatementHeight.Step.optionalCount : .count
        let owner = try alias(of: collection.owner)
        let query = try nested(step, of: collection.property.relationship) {
            writer throws(FetchPredicateError) in try writer.query(selections, value)
        }
        return isOptional
            ? "CASE WHEN \(owner).ab_pk IS NULL THEN NULL ELSE (\(query)) END" : "(\(query))"
    }

    /// The SELECT of a value from the elements of collections that satisfy their filters.
    ///
    /// - Parameter suffix: The ORDER BY and LIMIT of the statement.
    mutating func query(
        _ selections: [ResolvedSelection],
        _ value: (inout PredicateSQL) throws(FetchPredicateError) -> String,
        suffix: String = ""
    ) throws(FetchPredicateError) -> String {
        var sources: [CollectionSource] = []
        for selection in selections { sources.append(try enter(selection.collection)) }
        // Values are bound in the order of the text, and the value comes first.
        let value = try value(&self)
        var conditions: [String] = []
        for (selection, source) in zip(selections, sources) {
            conditions.append(source.condition)
            if let filter = selection.filter {
                conditions.append("(\(try condition(filter)))")
            }
        }
        var tables: [String] = []
        for source in sources.reversed() { tables.insert(source.table + leave(), at: 0) }
        return "SELECT \(value) FROM \(tables.joined(separator: ", ")) WHERE "
            + conditions.joined(separator: " AND ") + suffix
    }

    private mutating func enter(
        _ collection: ResolvedCollection
    ) throws(FetchPredicateError) -> CollectionSource {
        let owner = try alias(of: collection.owner)
        let alias = "t\(scopes.count)"
        guard let relationship = collection.property.relationship else {
            let source = try heldValues(of: collection, at: owner, as: alias)
            enter(alias, tableCount: source.tableCount)
            return source
        }
        if relationship.storage == .links(.both) {
            try height.check(.lookUp, of: relationship)
        }
        let source = CollectionSource(relationship, of: owner, as: alias, in: naming)
        enter(alias, tableCount: source.tableCount)
        return source
    }
}

/// The part of a SELECT that finds the elements of a to-many relationship, or held values.
struct CollectionSource {
    /// The text behind FROM, to which joins may be added.
    let table: String
    /// The condition that an element belongs to the owner.
    let condition: String
    let tableCount: Int
}

extension CollectionSource {
    /// - Parameters:
    ///   - owner: The alias of the row that has the relationship.
    ///   - alias: The alias of the element.
    init(
        _ relationship: RelationshipDescription, of owner: String, as alias: String,
        in naming: any SchemaNaming
    ) {
        let table = naming.table(for: relationship.destination)
        if relationship.storage == .inverseReference, let inverse = relationship.inverse {
            let column = naming.column(for: .relationship(inverse))
            self.table = "\(table) AS \(alias)"
            condition = "\(alias).\(column) = \(owner).ab_pk"
            tableCount = 1
            return
        }
        let links = naming.linkTable(for: relationship)
        let (own, other) = (links.ownColumn, links.otherColumn)
        guard relationship.storage == .links(.both) else {
            self.table =
                "\(links.name) AS l\(alias) JOIN \(table) AS \(alias) ON \(alias).ab_pk = "
                + "l\(alias).\(other)"
            condition = "l\(alias).\(own) = \(owner).ab_pk"
            tableCount = 2
            return
        }
        // The owner may be either end of the link.
        guard !relationship.isOrdered else {
            self.table =
                "\(links.name) AS l\(alias) JOIN \(table) AS \(alias) ON \(alias).ab_pk = "
                + "CASE WHEN l\(alias).\(own) = \(owner).ab_pk THEN l\(alias).\(other) "
                + "ELSE l\(alias).\(own) END"
            condition = "(l\(alias).\(own) = \(owner).ab_pk OR l\(alias).\(other) = \(owner).ab_pk)"
            tableCount = 2
            return
        }
        self.table = "\(table) AS \(alias)"
        condition =
            "\(alias).ab_pk IN (SELECT \(other) FROM \(links.name) WHERE \(own) = "
            + "\(owner).ab_pk UNION SELECT \(own) FROM \(links.name) WHERE \(other) = "
            + "\(owner).ab_pk)"
        tableCount = 1
    }
}
