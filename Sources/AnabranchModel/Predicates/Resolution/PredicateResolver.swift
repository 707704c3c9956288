import AnabranchReplication

/// Checks a predicate against an entity and resolves it.
///
/// Scopes are numbered by nesting: 0 is the evaluated object, 1 an element of the outermost
/// collection, and so on.
struct PredicateResolver {
    let entity: EntityDescription
    /// The variables that enclosing SUBQUERY expressions bind.
    private(set) var variables: [String: PathCursor] = [:]
    private(set) var depth = 0

    init(_ entity: EntityDescription) { self.entity = entity }

    /// The resolver for a predicate about the elements of a collection.
    func inside(binding variable: String? = nil, to cursor: PathCursor? = nil) -> PredicateResolver
    {
        var inner = self
        inner.depth += 1
        if let variable, let cursor { inner.variables[variable] = cursor }
        return inner
    }

    func resolve(_ predicate: FetchPredicate) throws(FetchPredicateError) -> ResolvedPredicate {
        switch predicate {
        case .constant(let isTrue): return .constant(isTrue)
        case .conjunction(let parts): return .conjunction(try resolve(parts))
        case .disjunction(let parts): return .disjunction(try resolve(parts))
        case .negation(let inner): return .negation(try resolve(inner))
        case .comparison(let comparison): return try resolve(comparison)
        }
    }

    private func resolve(
        _ parts: [FetchPredicate]
    ) throws(FetchPredicateError) -> [ResolvedPredicate] {
        var resolved: [ResolvedPredicate] = []
        for part in parts { resolved.append(try resolve(part)) }
        return resolved
    }

    private func resolve(
        _ comparison: PredicateComparison
    ) throws(FetchPredicateError) -> ResolvedPredicate {
        let left = try side(comparison.left)
        let right = try side(comparison.right)
        let expansion = QuantifiedComparison(
            comparison: comparison, isQuantified: comparison.quantifier != nil,
            negatesElement: comparison.quantifier == .all)
        let resolved = try expansion.resolve(left, right, in: self)
        guard let quantifier = comparison.quantifier else { return resolved }
        guard case .exists = resolved else {
            throw FetchPredicateError(
                .quantifierNotAllowed, column: comparison.left.column.number, entity: entity.name,
                "Can't ask for \(quantifier.rawValue) because neither side is to-many.")
        }
        return quantifier == .any ? resolved : .negation(resolved)
    }

    func resolve(_ sort: FetchSort) throws(FetchPredicateError) -> ResolvedSort {
        let isSelf = sort.keyPath.lowercased() == "self"
        let start = PathCursor(
            scope: 0, entity: entity, steps: isSelf ? [] : PathStep.keys(of: sort.keyPath),
            column: .none)
        let operand: ResolvedOperand
        switch try start.walk(in: self) {
        case .attribute(_, let attribute) where attribute.type == .transformable:
            throw start.error(
                .typeMismatch, key: attribute.name,
                "Can't sort by \(attribute) because it is transformable, and its bytes have no "
                    + "order. Sort what was fetched instead.")
        case .attribute(let path, let attribute): operand = .attribute(path, attribute)
        case .count(let collection): operand = .count(collection, nil)
        case .record(let path, _) where isSelf: operand = .record(path)
        case .record:
            throw start.error(
                .notSupportedYet, "Can't sort by '\(sort.keyPath)' because it refers to an object.")
        case .collection(_, let relationship, _):
            throw start.error(
                .quantifierNeeded, key: relationship.name,
                "Can't sort by '\(sort.keyPath)' because \(relationship) is to-many.")
        }
        if sort.options.contains(.localeSensitive) {
            throw start.error(.notSupportedYet, "Can't sort by locale yet.")
        }
        return ResolvedSort(
            operand: operand, isAscending: sort.isAscending, options: sort.options.effective)
    }
}

// MARK: Sides

/// One side of a comparison, before its type is compared with the other side's.
enum ResolverSide {
    case constant(PredicateConstant)
    /// A list in which at least one element is not a constant.
    case list([FetchExpression])
    case path(PathCursor)
    case count(ResolvedCollection, ResolvedPredicate)
}

extension PredicateResolver {
    func side(_ expression: FetchExpression) throws(FetchPredicateError) -> ResolverSide {
        switch expression.form {
        case .constant(let constant): return .constant(constant)
        case .aggregate(let elements): return .list(elements)
        case .evaluatedObject: return .path(start(at: expression.column, []))
        case .path(nil, let steps): return .path(start(at: expression.column, steps))
        case .variable(let name): return .path(try bound(name, [], expression.column))
        case .path(let root?, let steps):
            switch root.form {
            case .variable(let name): return .path(try bound(name, steps, expression.column))
            case .subquery(let collection, let variable, let filter):
                guard steps == [.collectionOperator("count")] || steps == [.size] else {
                    throw notSupported("SUBQUERY followed by anything but @count", expression)
                }
                return try subquery(collection, variable, filter)
            default: throw notSupported("a key path that begins with a value", expression)
            }
        default: throw notSupported(expression.construct, expression)
        }
    }

    private func start(at column: SourceColumn, _ steps: [PathStep]) -> PathCursor {
        PathCursor(scope: 0, entity: entity, steps: steps, column: column)
    }

    private func bound(
        _ name: String, _ steps: [PathStep], _ column: SourceColumn
    ) throws(FetchPredicateError) -> PathCursor {
        guard let cursor = variables[name] else {
            throw FetchPredicateError(
                .unboundVariable, column: column.number, entity: entity.name,
                "Can't evaluate the predicate because $\(name) has no value.")
        }
        return PathCursor(
            scope: cursor.scope, entity: cursor.entity, steps: steps, column: column)
    }

    private func subquery(
        _ collection: FetchExpression, _ variable: String, _ filter: FetchPredicate
    ) throws(FetchPredicateError) -> ResolverSide {
        guard case .path(let cursor) = try side(collection),
            case .collection(let owner, let relationship, let rest) = try cursor.walk(in: self),
            rest.isEmpty
        else { throw notSupported("SUBQUERY of anything but one to-many relationship", collection) }
        let element = PathCursor(
            scope: depth + 1, entity: relationship.destination, steps: [],
            column: collection.column)
        let filter = try inside(binding: variable, to: element).resolve(filter)
        return .count(
            ResolvedCollection(owner: owner, relationship: relationship, scope: depth + 1), filter)
    }

    func notSupported(_ construct: String, _ expression: FetchExpression) -> FetchPredicateError {
        FetchPredicateError(
            .notSupportedYet, column: expression.column.number, entity: entity.name,
            "Can't evaluate \(construct): it is read, and not supported yet.")
    }
}

extension FetchExpression {
    /// The name of the construct in messages.
    fileprivate var construct: String {
        switch form {
        case .arithmetic(let sign, _, _): "the operator '\(sign.rawValue)'"
        case .negative: "the operator '-'"
        case .complement: "the operator '~'"
        case .function(let name, _): "the function '\(name)'"
        case .message(_, let selector, _): "FUNCTION '\(selector)'"
        case .subquery: "SUBQUERY without @count"
        case .cast(_, let type): "CAST to '\(type)'"
        case .ternary: "TERNARY"
        case .fetch: "FETCH"
        case .assignment: "an assignment"
        case .constant, .evaluatedObject, .variable, .path, .aggregate: "'\(format)'"
        }
    }
}
