/// Checks a request for values against an entity.
struct RowsResolver {
    private let description: RowsDescription
    private let entity: EntityDescription
    private let resolver: PredicateResolver
    private let aggregates: FoundAggregates

    init(_ description: RowsDescription, _ entity: EntityDescription) {
        self.description = description
        self.entity = entity
        aggregates = FoundAggregates()
        resolver = PredicateResolver(entity).overRows(aggregates)
    }

    func resolve() throws(FetchPredicateError) -> ResolvedRows {
        var columns: [ResolvedRows.Column] = []
        for column in description.columns { columns.append(try resolve(column, among: columns)) }
        var groups: [ResolvedOperand] = []
        for name in description.groups { groups.append(try group(named: name, columns)) }
        let having = try having()
        var sorts: [ResolvedSort] = []
        for sort in description.sorts { sorts.append(try resolve(sort, columns)) }
        let isGrouped = !groups.isEmpty || aggregates.areUsed
        if isGrouped { try checkSettled(columns, having, sorts, by: Set(groups)) }
        return ResolvedRows(
            columns: columns, groups: groups, having: having, sorts: sorts,
            isDistinct: description.isDistinct, isGrouped: isGrouped)
    }

    private func resolve(
        _ column: FetchColumn, among others: [ResolvedRows.Column]
    ) throws(FetchPredicateError) -> ResolvedRows.Column {
        guard !others.contains(where: { $0.name == column.name }) else {
            throw error(
                .invalidArgument, column.name,
                "Can't fetch two columns with the name '\(column.name)'; give one another name.")
        }
        let side = try resolver.side(column.expression)
        if let relationship = try resolver.collection(side)?.parts[0].property {
            throw error(
                .quantifierNeeded, relationship.name,
                "Can't fetch '\(column.expression)' as a column because \(relationship) is "
                    + "to-many; count it with @count, or fetch from the other side.")
        }
        let operand = try resolver.operand(side)
        return ResolvedRows.Column(
            name: column.name, operand: operand, entity: try self.entity(of: operand, column),
            resultType: column.resultType)
    }

    private func entity(
        of operand: ResolvedOperand, _ column: FetchColumn
    ) throws(FetchPredicateError) -> EntityDescription? {
        guard operand.isObject else { return nil }
        guard case .record(let path) = operand, column.resultType == nil else {
            throw error(
                .typeMismatch, column.name,
                "Can't fetch '\(column.expression)' as a column because it is an object that is "
                    + "computed or converted; fetch one of its attributes.")
        }
        return path.steps.last?.destination ?? entity
    }

    private func group(
        named name: String, _ columns: [ResolvedRows.Column]
    ) throws(FetchPredicateError) -> ResolvedOperand {
        let column = columns.first { $0.name == name }
        let operand: ResolvedOperand
        if let column {
            operand = column.operand
        } else {
            operand = try resolve(.property(name), among: []).operand
        }
        guard !operand.isAggregate else {
            throw error(
                .notEvaluable, name,
                "Can't group by '\(name)' because it is computed from the groups.")
        }
        return operand
    }

    private func having() throws(FetchPredicateError) -> ResolvedPredicate? {
        guard let having = description.having else { return nil }
        guard !description.groups.isEmpty || aggregates.areUsed else {
            throw error(
                .notEvaluable, nil,
                "Can't use a condition on groups because the request has no groups; use the "
                    + "predicate, or group by a property.")
        }
        return try resolver.resolve(having)
    }

    private func resolve(
        _ sort: FetchSort, _ columns: [ResolvedRows.Column]
    ) throws(FetchPredicateError) -> ResolvedSort {
        let resolved: ResolvedSort
        if let column = columns.first(where: { $0.name == sort.keyPath }), column.entity == nil {
            resolved = ResolvedSort(
                operand: column.operand, isAscending: sort.isAscending,
                options: sort.options.effective)
        } else {
            resolved = try resolver.resolve(sort)
        }
        guard !description.isDistinct || columns.contains(where: { $0.operand == resolved.operand })
        else {
            throw error(
                .notEvaluable, sort.keyPath,
                "Can't sort distinct rows by '\(sort.keyPath)' because it is no column of theirs; "
                    + "fetch it too.")
        }
        return resolved
    }

    private func error(
        _ code: FetchPredicateError.Code, _ key: String?, _ message: String
    ) -> FetchPredicateError {
        FetchPredicateError(code, entity: entity.name, key: key, message)
    }
}

// MARK: Groups

extension RowsResolver {
    /// Checks that every value is the same in all rows of a group.
    private func checkSettled(
        _ columns: [ResolvedRows.Column], _ having: ResolvedPredicate?, _ sorts: [ResolvedSort],
        by groups: Set<ResolvedOperand>
    ) throws(FetchPredicateError) {
        let grouping = Grouping(groups: groups)
        for column in columns where !grouping.settles(column.operand) {
            throw unsettled("fetch", "column '\(column.name)'", column.operand.key)
        }
        if let having, !grouping.settles(having) {
            throw unsettled("compare", "property in the condition on groups", nil)
        }
        for (sort, given) in zip(sorts, description.sorts) where !grouping.settles(sort.operand) {
            throw unsettled("sort by", "value '\(given.keyPath)'", sort.operand.key)
        }
    }

    private func unsettled(_ verb: String, _ place: String, _ key: String?) -> FetchPredicateError {
        error(
            .notEvaluable, key,
            "Can't \(verb) the \(place) because it can differ within a group; group by it, or "
                + "compute one value of a group, as min and max do.")
    }
}

/// The values that are the same in all rows of a group.
private struct Grouping {
    let groups: Set<ResolvedOperand>

    func settles(_ operand: ResolvedOperand) -> Bool {
        if groups.contains(operand) { return true }
        switch operand {
        case .constant, .object, .aggregate: return true
        case .relevance, .snippet: return false
        case .attribute(let path, _), .record(let path): return settles(path)
        case .function(_, let operands, _), .listReduction(_, let operands, _):
            return operands.allSatisfy(settles)
        case .conditional(let predicate, let first, let second, _):
            return settles(predicate) && settles(first) && settles(second)
        case .count(let collection, let filter):
            return settles(collection.owner) && filter.map(settles) ?? true
        case .reduction(_, let elements, _):
            return settles(elements.value)
                && elements.selections.allSatisfy {
                    settles($0.collection.owner) && $0.filter.map(settles) ?? true
                }
        case .element(let collection, _, let value):
            return settles(collection.owner) && settles(value)
        }
    }

    func settles(_ predicate: ResolvedPredicate) -> Bool {
        switch predicate {
        case .constant: true
        case .conjunction(let parts), .disjunction(let parts): parts.allSatisfy(settles)
        case .negation(let inner): settles(inner)
        case .comparison(let left, _, let right, _), .text(let left, _, let right, _):
            settles(left) && settles(right)
        case .membership(let operand, _, _), .matches(let operand, _): settles(operand)
        case .exists(let collection, let inner): settles(collection.owner) && settles(inner)
        case .entity(let path, _): settles(path)
        case .search(let search): settles(search.object)
        }
    }

    /// True if the object is the same in all rows, and so are all values of it. Elements of a
    /// collection are the same if their owner is.
    private func settles(_ path: ObjectPath) -> Bool {
        path.scope > 0
            || (0...path.steps.count).contains {
                groups.contains(.record(ObjectPath(scope: 0, steps: Array(path.steps.prefix($0)))))
            }
    }
}

extension ResolvedOperand {
    fileprivate var isAggregate: Bool {
        switch self {
        case .aggregate: true
        case .function(_, let operands, _), .listReduction(_, let operands, _):
            operands.contains(where: \.isAggregate)
        case .conditional(_, let first, let second, _): first.isAggregate || second.isAggregate
        default: false
        }
    }
}
