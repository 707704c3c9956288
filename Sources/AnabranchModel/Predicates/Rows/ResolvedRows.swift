/// The columns and groups of a request for values, checked against an entity.
package struct ResolvedRows: Hashable, Sendable {
    /// One column.
    package struct Column: Hashable, Sendable {
        package let name: String
        package let operand: ResolvedOperand
        /// The entity of the objects in the column; `nil` for a column of values.
        package let entity: EntityDescription?
        /// The type to which the values are converted; `nil` for the type of the operand.
        package let resultType: AttributeType?
    }

    package let columns: [Column]
    /// The values that all rows of a group have in common.
    package let groups: [ResolvedOperand]
    /// The condition on groups.
    package let having: ResolvedPredicate?
    package let sorts: [ResolvedSort]
    /// True if equal rows are returned once.
    package let isDistinct: Bool
    /// True if a row stands for a group of the fetched rows, or for all of them.
    package let isGrouped: Bool
}

/// The columns and groups of a request for values, by names.
package struct RowsDescription {
    /// The columns; all attributes if there are none.
    package var columns: [FetchColumn]
    /// The names of columns, or key paths.
    package var groups: [String]
    package var having: FetchPredicate?
    package var sorts: [FetchSort]
    package var isDistinct: Bool

    package init(
        columns: [FetchColumn], groups: [String], having: FetchPredicate?, sorts: [FetchSort],
        isDistinct: Bool
    ) {
        self.columns = columns
        self.groups = groups
        self.having = having
        self.sorts = sorts
        self.isDistinct = isDistinct
    }

    /// Checks the description against an entity.
    ///
    /// - Throws: ``FetchPredicateError`` with entity and key.
    package func resolved(
        for entity: EntityDescription, variables: [String: (any PredicateArgument)?] = [:]
    ) throws(FetchPredicateError) -> ResolvedRows {
        var bound = self
        if bound.columns.isEmpty {
            bound.columns = entity.attributes.filter { !$0.isTransient }
                .map { .property($0.name) }
        }
        // A name of a column hides a variable.
        bound.having = try having?.replacing(columns).substituting(variables)
        return try RowsResolver(bound, entity).resolve()
    }
}

extension FetchPredicate {
    /// Replaces the names of columns by their expressions, also where they are written as `$name`.
    fileprivate func replacing(_ columns: [FetchColumn]) -> FetchPredicate {
        let named = columns.map { ($0.name, $0.expression.form) }
        return ColumnNames(columns: Dictionary(named, uniquingKeysWith: { first, _ in first }))
            .rewrite(self)
    }
}

private struct ColumnNames: PredicateRewriting {
    var columns: [String: FetchExpression.Form]

    func replacement(of form: FetchExpression.Form) -> FetchExpression.Form? {
        switch form {
        case .variable(let name): columns[name]
        case .path(nil, let steps): steps.name.flatMap { columns[$0] }
        default: nil
        }
    }

    func hiding(_ variable: String) -> ColumnNames {
        var inner = self
        inner.columns[variable] = nil
        return inner
    }
}

extension [PathStep] {
    /// The keys with points between them; `nil` if there is any other step.
    fileprivate var name: String? {
        let keys = compactMap { if case .key(let key) = $0 { key } else { nil } }
        return keys.count == count ? keys.joined(separator: ".") : nil
    }
}
