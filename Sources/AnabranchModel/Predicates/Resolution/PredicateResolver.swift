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
    /// Set where functions of collections may be computed over the rows of a group.
    private(set) var aggregates: FoundAggregates?
    /// True where the relevance of an object to a search can be asked for.
    private(set) var ranksObjects = false
    private let budget = ResolutionBudget()

    init(_ entity: EntityDescription) { self.entity = entity }

    /// The resolver for values of groups of rows, or of single rows.
    func overRows(_ aggregates: FoundAggregates?) -> PredicateResolver {
        var resolver = self
        resolver.aggregates = aggregates
        resolver.ranksObjects = true
        return resolver
    }

    /// The resolver for sort keys.
    private var ranking: PredicateResolver {
        var resolver = self
        resolver.ranksObjects = true
        return resolver
    }

    /// The resolver for a predicate about the elements of a collection, or of collections inside
    /// each other.
    func inside(
        _ count: Int = 1, binding variable: String? = nil, to cursor: PathCursor? = nil
    ) -> PredicateResolver {
        var inner = self
        inner.depth += count
        inner.aggregates = nil
        inner.ranksObjects = false
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
        try spend(comparison.left)
        if let plain = plain(comparison) { return plain }
        let (left, right) = (try side(comparison.left), try side(comparison.right))
        var expansion = QuantifiedComparison(
            comparison: comparison, isQuantified: comparison.quantifier != nil,
            negatesElement: comparison.quantifier == .all)
        guard let quantifier = comparison.quantifier else {
            return try expansion.resolve(left, right, in: self)
        }
        let (isLeft, isRight) = (try isToMany(left), try isToMany(right))
        guard isLeft || isRight || left.isListed else {
            throw FetchPredicateError(
                .quantifierNotAllowed, column: comparison.left.column.number, entity: entity.name,
                "Can't ask for \(quantifier.rawValue) because neither side is to-many or an "
                    + "attribute under the merge rule keepBoth, and the left one is no list.")
        }
        if !left.isListed { expansion.heldSide = isLeft ? .left : .right }
        let resolved = try expansion.resolve(left, right, in: self)
        return quantifier == .any ? resolved : .negation(resolved)
    }

    /// Resolves the comparison of an attribute of the entity with a value, of which most predicates
    /// consist, without the questions that other comparisons need: which side is a collection, an
    /// object or an entity, and which side takes the type of the other.
    ///
    /// - Returns: `nil` for any other comparison, and for one that is wrong.
    private func plain(_ comparison: PredicateComparison) -> ResolvedPredicate? {
        let isNegated = comparison.operator == .notEqual
        guard comparison.quantifier == nil, !comparison.options.contains(.search),
            case .path(nil, let steps) = comparison.left.form, steps.count == 1,
            case .key(let name) = steps[0],
            case .constant(.value(let value)) = comparison.right.form, !value.isNull,
            case .attribute(let attribute)? = entity.property(named: name),
            !attribute.isTransient, attribute.type != .transformable,
            let relation = isNegated ? ResolvedRelation.equal : comparison.operator.relation,
            let constant = ConstantCoercion.coerce(value, to: attribute.type)
        else { return nil }
        let resolved = ResolvedPredicate.comparison(
            .attribute(ObjectPath(scope: 0), attribute), relation, .constant(constant),
            comparison.options.effective)
        return isNegated ? .negation(resolved) : resolved
    }

    /// Counts a comparison or a computed value.
    func spend(_ expression: FetchExpression) throws(FetchPredicateError) {
        guard budget.spend() else {
            throw error(
                .tooComplex, expression,
                "Can't hold a predicate that grows to over \(ResolutionBudget.greatestCount) "
                    + "comparisons and computed values, as it does if collections that are joined "
                    + "by UNION stand inside each other. Split it.")
        }
    }

    /// True for a side that stands for elements of a to-many relationship or for held values.
    private func isToMany(_ side: ResolverSide) throws(FetchPredicateError) -> Bool {
        switch side {
        case .path(let cursor):
            if try part(cursor) != nil { true } else { try heldValues(side) != nil }
        case .collection: true
        case .constant, .list, .computed: false
        }
    }

    func error(
        _ code: FetchPredicateError.Code, _ expression: FetchExpression, key: String? = nil,
        _ message: String
    ) -> FetchPredicateError {
        FetchPredicateError(
            code, column: expression.column.number, entity: entity.name, key: key, message)
    }
}

// MARK: Sorts

extension PredicateResolver {
    func resolve(_ sort: FetchSort) throws(FetchPredicateError) -> ResolvedSort {
        let isSelf = sort.keyPath.lowercased() == "self"
        let expression =
            isSelf ? FetchExpression(.evaluatedObject) : FetchExpression.keyPath(sort.keyPath)
        let side = try side(expression)
        if let relationship = try collection(side)?.parts[0].property {
            throw FetchPredicateError(
                .quantifierNeeded, entity: entity.name, key: relationship.name,
                "Can't sort by '\(sort.keyPath)' because \(relationship) is to-many.")
        }
        let operand = try ranking.operand(side)
        if case .attribute(_, let attribute) = operand, attribute.type == .transformable {
            throw error(
                .typeMismatch, expression, key: attribute.name,
                "Can't sort by \(attribute) because it is transformable, and its bytes have no "
                    + "order. Sort what was fetched instead.")
        }
        guard isSelf || !operand.isObject else {
            throw error(
                .typeMismatch, expression,
                "Can't sort by '\(sort.keyPath)' because it refers to an object; sort by one of "
                    + "its attributes.")
        }
        return ResolvedSort(
            operand: operand, isAscending: sort.isAscending, options: sort.options.effective)
    }
}

// MARK: Sides

/// One side of a comparison, before its type is compared with the other side's.
///
/// A side may be resolved in the scope of an element of the other side, so that its own collections
/// get scopes of their own. Expressions are therefore resolved only where they are compared.
enum ResolverSide {
    case constant(PredicateConstant)
    /// A list in which at least one element is not a constant.
    case list([FetchExpression])
    /// A key path without collection operators and indexes.
    case path(PathCursor)
    /// SUBQUERY, or UNION, INTERSECT or MINUS of collections, with a key path behind it or not.
    case collection(FetchExpression)
    /// A single value that is computed.
    case computed(FetchExpression)
}

extension PredicateResolver {
    func side(_ expression: FetchExpression) throws(FetchPredicateError) -> ResolverSide {
        switch expression.form {
        case .constant(let constant): return .constant(constant)
        case .aggregate(let elements): return .list(elements)
        case .subquery: return .collection(expression)
        case .arithmetic(let sign, let left, let right) where sign.joinsCollections:
            return try joined(left, sign, right) ?? .collection(expression)
        case .evaluatedObject, .variable: return .path(try cursor(expression, []))
        case .path(let root, let steps): return try side(root, steps, expression)
        default: return .computed(expression)
        }
    }

    private func side(
        _ root: FetchExpression?, _ steps: [PathStep], _ expression: FetchExpression
    ) throws(FetchPredicateError) -> ResolverSide {
        let steps = Self.withoutUnion(steps)
        guard steps.allSatisfy(\.isKey) else { return .computed(expression) }
        switch root?.form {
        case nil, .variable: return .path(try cursor(root ?? expression, steps))
        case .subquery, .arithmetic:
            return .collection(FetchExpression(.path(root, steps), column: expression.column))
        default:
            throw error(
                .notEvaluable, expression,
                "Can't follow a key path from '\(expression)' because it begins with a value, not "
                    + "with an object.")
        }
    }

    /// `cars.@distinctUnionOfObjects.maker` has the same elements as `cars.maker`.
    private static func withoutUnion(_ steps: [PathStep]) -> [PathStep] {
        guard let place = steps.firstIndex(where: { !$0.isKey }), place > 0,
            case .collectionOperator(let name) = steps[place], PathStep.unions.contains(name),
            place < steps.count - 1
        else { return steps }
        var rest = steps
        rest.remove(at: place)
        return rest
    }

    private func cursor(
        _ root: FetchExpression, _ steps: [PathStep]
    ) throws(FetchPredicateError) -> PathCursor {
        guard case .variable(let name) = root.form else {
            return PathCursor(scope: 0, entity: entity, steps: steps, column: root.column)
        }
        guard let cursor = variables[name] else {
            throw error(
                .unboundVariable, root,
                "Can't evaluate the predicate because $\(name) has no value.")
        }
        return PathCursor(
            scope: cursor.scope, entity: cursor.entity, steps: cursor.steps + steps,
            column: root.column)
    }

    /// The elements of two lists together, if both are lists of constants.
    private func joined(
        _ left: FetchExpression, _ sign: ArithmeticOperator, _ right: FetchExpression
    ) throws(FetchPredicateError) -> ResolverSide? {
        guard case .constant(.collection(let own)) = try side(left),
            case .constant(.collection(let others)) = try side(right)
        else { return nil }
        let (isInOwn, isInOthers) = (Set(own), Set(others))
        return switch sign {
        case .union: .constant(.collection(own + others.filter { !isInOwn.contains($0) }))
        case .intersection: .constant(.collection(own.filter(isInOthers.contains)))
        default: .constant(.collection(own.filter { !isInOthers.contains($0) }))
        }
    }
}

extension PathStep {
    var isKey: Bool { if case .key = self { true } else { false } }

    /// The collection operators that have the values of all elements as their result.
    static let unions: Set<String> = ["distinctUnionOfObjects", "unionOfObjects"]
}
