import AnabranchModel
import AnabranchReplication

// Searches for words. One that every fetched row must satisfy is a join of the table of words, so
// that the rank of a row and the found words are known. Any other one is a subquery.

/// The searches of the fetched objects themselves that are parts of a conjunction.
struct LeadingSearch {
    /// The query for FTS5; `nil` without such a search.
    private(set) var expression: String?
    /// The rest of the condition; `nil` without any.
    private(set) var rest: ResolvedPredicate?

    init(_ predicate: ResolvedPredicate?, _ naming: any SchemaNaming) {
        var expressions: [String] = []
        var rest: [ResolvedPredicate] = []
        for part in Self.parts(of: predicate) {
            if let expression = Self.expression(of: part, naming) {
                expressions.append(expression)
            } else {
                rest.append(part)
            }
        }
        guard !expressions.isEmpty else {
            self.rest = predicate
            return
        }
        expression = expressions.joined(separator: " AND ")
        self.rest = rest.count > 1 ? .conjunction(rest) : rest.first
    }

    private static func parts(of predicate: ResolvedPredicate?) -> [ResolvedPredicate] {
        guard case .conjunction(let parts)? = predicate else { return predicate.map { [$0] } ?? [] }
        return parts.flatMap { Self.parts(of: $0) }
    }

    /// - Returns: `nil` if the condition is no search of the fetched object, and no disjunction of
    ///   such.
    private static func expression(
        of predicate: ResolvedPredicate, _ naming: any SchemaNaming
    ) -> String? {
        switch predicate {
        case .search(let search) where search.object == ObjectPath(scope: 0):
            return search.expression(naming)
        case .disjunction(let parts):
            let own: [String] = parts.compactMap { part in
                if case .search = part { expression(of: part, naming) } else { nil }
            }
            guard !own.isEmpty, own.count == parts.count else { return nil }
            return "(" + own.joined(separator: " OR ") + ")"
        default: return nil
        }
    }
}

/// The most relevant objects of a search, if nothing else is asked of them.
///
/// Only the ranks of what is found are sorted, and then the rows of the best objects are read. A
/// join of all that is found would sort whole rows, which takes twice the time.
struct BestOfSearch {
    /// The SQL after FROM.
    let source: String
    let bindings: [PropertyValue]

    /// - Returns: `nil` for a search with other conditions or another order, or without a limit.
    init?(
        _ search: LeadingSearch, of entity: EntityDescription, _ sorts: [ResolvedSort],
        _ limit: Int?, _ offset: Int, in naming: any SchemaNaming
    ) {
        guard let expression = search.expression, search.rest == nil, let limit,
            sorts.count == 1, sorts[0].isRelevance, !sorts[0].isAscending
        else { return nil }
        let table = naming.searchTable(for: entity)
        source = """
            (SELECT rowid AS id, -bm25(\(table)) AS relevance FROM \(table)
            WHERE \(table) MATCH ? ORDER BY relevance DESC, rowid LIMIT ? OFFSET ?) AS s0
            CROSS JOIN \(naming.table(for: entity)) AS t0 ON t0.ab_pk = s0.id
            ORDER BY s0.relevance DESC, t0.ab_pk
            """
        bindings = [.string(expression), .integer(Int64(limit)), .integer(Int64(offset))]
    }
}

extension ResolvedSearch {
    /// The query for FTS5, limited to the columns of the attributes.
    fileprivate func expression(_ naming: any SchemaNaming) -> String {
        let columns = attributes.map { naming.column(for: .attribute($0)) }
        return "({\(columns.joined(separator: " "))} : (\(query.expression ?? "\"\"")))"
    }
}

extension PredicateSQL {
    mutating func search(_ search: ResolvedSearch) throws(FetchPredicateError) -> String {
        try height.check(.search)
        let row = try alias(of: search.object)
        let table = naming.searchTable(for: search.attributes[0].entity)
        let query = bind(.string(search.expression(naming)))
        return "\(row).ab_pk IN (SELECT rowid FROM \(table) WHERE \(table) MATCH \(query))"
    }

    /// Joins the table of words to the fetched rows.
    mutating func join(_ search: LeadingSearch, of entity: EntityDescription) -> String {
        guard search.expression != nil else { return "" }
        let table = naming.searchTable(for: entity)
        searchTable = table
        return " JOIN \(table) AS s0 ON s0.rowid = t0.ab_pk"
    }

    /// The condition of the joined table of words; `nil` without one.
    mutating func condition(_ search: LeadingSearch) -> String? {
        guard let expression = search.expression, let searchTable else { return nil }
        return "s0.\(searchTable) MATCH \(bind(.string(expression)))"
    }

    func relevance() throws(FetchPredicateError) -> String {
        // The rank of FTS5 is negative, and less is better.
        "-bm25(\(try joinedWords()))"
    }

    mutating func snippet(
        of attribute: AttributeDescription, _ form: SnippetForm
    ) throws(FetchPredicateError) -> String {
        let words = try joinedWords()
        let marks = [form.before, form.after, form.ellipsis].map { bind(.string($0)) }
        return "snippet(\(words), \(naming.searchColumn(of: attribute)), "
            + marks.joined(separator: ", ") + ", \(form.wordCount))"
    }

    private func joinedWords() throws(FetchPredicateError) -> String {
        guard let searchTable else {
            throw FetchPredicateError(
                .notSearchable, key: "@relevance",
                "Can't tell the relevance of objects or show parts of their texts because the "
                    + "predicate has no search that all of them satisfy: join it with AND, such as "
                    + "SELF MATCHES[s] 'swift sync'.")
        }
        return "s0.\(searchTable)"
    }
}
