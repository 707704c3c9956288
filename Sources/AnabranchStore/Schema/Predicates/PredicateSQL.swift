import AnabranchModel
import AnabranchReplication

/// Writes the condition of a WHERE clause, its joins and its bindings.
///
/// Bindings are in the order of the text; joins have none.
struct PredicateSQL {
    /// SQLite's own limit, which cannot be configured.
    private static let greatestTableCount = 64

    let naming: any SchemaNaming
    let store: (any Hashable & Sendable)?
    var bindings: [PropertyValue] = []
    var height = StatementHeight()
    private(set) var scopes: [Scope] = []
    /// The table of words that is joined to the fetched rows; `nil` without one.
    var searchTable: String?

    struct Scope {
        let alias: String
        let height: Int
        var tableCount: Int
        var joins = ""
        var aliases: [[RelationshipDescription]: String] = [:]
    }

    init(naming: any SchemaNaming, store: (any Hashable & Sendable)?) {
        self.naming = naming
        self.store = store
    }

    /// Begins a scope.
    ///
    /// - Parameter tableCount: The number of tables that the scope reads before any to-one is
    ///   joined.
    mutating func enter(_ alias: String, tableCount: Int = 1) {
        scopes.append(Scope(alias: alias, height: height.current, tableCount: tableCount))
    }

    /// Ends a scope.
    ///
    /// - Returns: The joins that were needed since the scope was entered.
    mutating func leave() -> String { scopes.removeLast().joins }

    mutating func bind(_ value: PropertyValue) -> String {
        bindings.append(value)
        return "?"
    }

    mutating func condition(_ predicate: ResolvedPredicate) throws(FetchPredicateError) -> String {
        switch predicate {
        case .constant(let isTrue): return isTrue ? "1" : "0"
        case .conjunction(let parts): return try join(parts, " AND ", empty: "1")
        case .disjunction(let parts): return try join(parts, " OR ", empty: "0")
        case .negation(.comparison(let left, .equal, let right, let options)):
            return try equality(left, right, options, isNegated: true)
        case .negation(.exists(let collection, let inner)):
            return "NOT "
                + (try nested(.not) { writer throws(FetchPredicateError) in
                    try writer.exists(collection, inner)
                })
        case .negation(let inner):
            let text = try nested(.not) { writer throws(FetchPredicateError) in
                try writer.condition(inner)
            }
            return "(\(text)) IS NOT TRUE"
        case .comparison(let left, .equal, let right, let options):
            return try equality(left, right, options, isNegated: false)
        case .comparison(let left, let relation, let right, let options):
            if Self.haveDifferentForms(left, right) {
                return try call("ab_order", left, right) + " \(relation.rawValue) 0"
            }
            let left = try operand(left, options)
            return "\(left) \(relation.rawValue) \(try rightOperand(right, options))"
        case .membership(let operand, let list, let options):
            return try membership(operand, list, options)
        case .text(let left, let relation, let right, let options):
            return try text(left, relation, right, options)
        case .matches(let text, let expression):
            return try self.text(
                text, .matches, .constant(.string(expression.pattern)), expression.options)
        case .exists(let collection, let inner): return try exists(collection, inner)
        case .entity(let path, let entities): return try entity(path, entities)
        case .search(let search): return try self.search(search)
        }
    }

    /// Joins conditions with AND or OR.
    ///
    /// SQLite refuses expression trees of more than 1,000 levels, and a chain is as deep as it is
    /// long. So a long chain is written as a balanced tree.
    private mutating func join(
        _ parts: [ResolvedPredicate], _ word: String, empty: String
    ) throws(FetchPredicateError) -> String {
        var texts: [String] = []
        let step = StatementHeight.Step.chain(of: parts.count)
        for part in parts {
            let text = try nested(step) { writer throws(FetchPredicateError) in
                try writer.condition(part)
            }
            texts.append("(\(text))")
        }
        return texts.isEmpty ? empty : Self.balanced(texts[...], word)
    }

    private static func balanced(_ texts: ArraySlice<String>, _ word: String) -> String {
        guard texts.count > 16 else { return texts.joined(separator: word) }
        let middle = texts.startIndex + texts.count / 2
        return "(" + balanced(texts[..<middle], word) + ")" + word + "("
            + balanced(texts[middle...], word) + ")"
    }

    private mutating func equality(
        _ left: ResolvedOperand, _ right: ResolvedOperand, _ options: ComparisonOptions,
        isNegated: Bool
    ) throws(FetchPredicateError) -> String {
        if case .constant(.null) = left {
            return try operand(right, []) + (isNegated ? " IS NOT NULL" : " IS NULL")
        }
        if case .constant(.null) = right {
            return try operand(left, []) + (isNegated ? " IS NOT NULL" : " IS NULL")
        }
        if Self.haveDifferentForms(left, right) {
            return try call("ab_equal", left, right) + (isNegated ? " = 0" : " = 1")
        }
        let sign = isNegated ? "IS NOT" : left.isFixed || right.isFixed ? "=" : "IS"
        let left = try operand(left, options)
        return "\(left) \(sign) \(try rightOperand(right, options))"
    }

    private mutating func rightOperand(
        _ operand: ResolvedOperand, _ options: ComparisonOptions
    ) throws(FetchPredicateError) -> String {
        try nested(.rightSide) { writer throws(FetchPredicateError) in
            try writer.operand(operand, options)
        }
    }

    /// Writes the content of a nested construct.
    mutating func nested(
        _ step: StatementHeight.Step, of relationship: RelationshipDescription? = nil,
        _ write: (inout PredicateSQL) throws(FetchPredicateError) -> String
    ) throws(FetchPredicateError) -> String {
        try height.rise(by: step, of: relationship)
        let text = try write(&self)
        height.fall(by: step)
        return text
    }
}

// MARK: Operands

extension PredicateSQL {
    mutating func operand(
        _ operand: ResolvedOperand, _ options: ComparisonOptions
    ) throws(FetchPredicateError) -> String {
        try height.check(.operand)
        switch operand {
        case .constant(let value): return bind(value.folded(options))
        case .object(let object): return bind(.integer(object.localID(in: store)))
        case .record(let path): return try alias(of: path) + ".ab_pk"
        case .attribute(let path, let attribute):
            let alias = try alias(of: path)
            let column =
                attribute.isDerived
                ? try derived(attribute, of: alias, isOptional: !path.steps.isEmpty)
                : alias + "." + naming.column(for: .attribute(attribute))
            return Self.compared(column, as: attribute.type, options)
        case .count(let collection, let filter): return try count(collection, filter)
        case .relevance: return try relevance()
        case .snippet(let attribute, let form): return try snippet(of: attribute, form)
        case .function, .reduction, .listReduction, .aggregate, .conditional, .element:
            return Self.compared(try computed(operand), as: operand.type, options)
        }
    }

    /// Adds to the SQL of a value what comparisons and sorts of its type need.
    static func compared(
        _ value: String, as type: AttributeType?, _ options: ComparisonOptions
    ) -> String {
        switch type {
        case .decimal: value + " COLLATE ab_decimal"
        case .string where !options.isEmpty, .uri where !options.isEmpty:
            options.contains(.localeSensitive)
                ? "ab_sort_key(\(value), \(options.rawValue))"
                : "ab_fold(\(value), '\(options.letters)')"
        default: value
        }
    }

    /// The alias of the table row at the end of a path. Tables that are not joined yet are joined.
    mutating func alias(of path: ObjectPath) throws(FetchPredicateError) -> String {
        var alias = scopes[path.scope].alias
        for end in path.steps.indices {
            let steps = Array(path.steps[...end])
            if let known = scopes[path.scope].aliases[steps] {
                alias = known
                continue
            }
            try addTable(to: path.scope, for: steps[end])
            let next = "\(scopes[path.scope].alias)_\(scopes[path.scope].aliases.count + 1)"
            scopes[path.scope].joins += join(steps[end], from: alias, as: next)
            scopes[path.scope].aliases[steps] = next
            alias = next
        }
        return alias
    }

    private mutating func addTable(
        to scope: Int, for relationship: RelationshipDescription
    ) throws(FetchPredicateError) {
        if relationship.storage == .inverseReference {
            try height.check(.lookUp, at: scopes[scope].height, of: relationship)
        }
        scopes[scope].tableCount += 1
        guard scopes[scope].tableCount > Self.greatestTableCount else { return }
        throw FetchPredicateError(
            .tooComplex, entity: relationship.entity.name, key: relationship.name,
            "Can't follow \(relationship) because SQLite joins at most \(Self.greatestTableCount) "
                + "tables, and every different path through to-one relationships joins one. "
                + "Split the fetch.")
    }

    func join(
        _ relationship: RelationshipDescription, from owner: String, as alias: String
    ) -> String {
        let table = naming.table(for: relationship.destination)
        guard relationship.storage == .inverseReference, let inverse = relationship.inverse else {
            let column = naming.column(for: .relationship(relationship))
            return " LEFT JOIN \(table) AS \(alias) ON \(alias).ab_pk = \(owner).\(column)"
        }
        // The store shows a one-to-one reference in one record only. The subquery must still return
        // one row in any case.
        let column = naming.column(for: .relationship(inverse))
        return " LEFT JOIN \(table) AS \(alias) ON \(alias).ab_pk = (SELECT min(r.ab_pk) "
            + "FROM \(table) AS r WHERE r.\(column) = \(owner).ab_pk)"
    }
}

extension PredicateObjectReference {
    /// The ID of an object in a store; −1, which no row has, for an object of another store.
    func localID(in store: (any Hashable & Sendable)?) -> Int64 {
        guard let store, AnyHashable(store) != AnyHashable(self.store) else { return record }
        return -1
    }
}

extension ResolvedOperand {
    /// True if the operand always has a value.
    fileprivate var isFixed: Bool {
        switch self {
        case .constant(let value): !value.isNull
        case .object: true
        case .attribute, .record, .count, .function, .reduction, .listReduction, .aggregate,
            .conditional, .element, .relevance, .snippet:
            false
        }
    }
}
