import AnabranchReplication

/// Checks and resolves a comparison of single values.
struct LeafComparison {
    let comparison: PredicateComparison
    let resolver: PredicateResolver

    func resolve(
        _ left: ResolverSide, _ right: ResolverSide
    ) throws(FetchPredicateError) -> ResolvedPredicate {
        if comparison.options.contains(.search) { return try search(left, right) }
        if let resolved = try entityComparison(left, right) { return resolved }
        if let relation = comparison.operator.relation {
            return try self.relation(relation, operand(left), operand(right))
        }
        if comparison.operator == .contains, left.isListed { return try membership(right, left) }
        if let relation = comparison.operator.textRelation {
            return try text(relation, operand(left), operand(right))
        }
        switch comparison.operator {
        case .notEqual: return .negation(try relation(.equal, operand(left), operand(right)))
        case .between: return try between(left, right)
        case .isIn: return try membership(left, right)
        default:
            throw error(
                .notEvaluable,
                "Can't evaluate \(comparison.operator.rawValue) because a store knows no types of "
                    + "files; compare their identifiers with == or IN.")
        }
    }

    private var options: ComparisonOptions { comparison.options.effective }

    private var typing: OperandTyping {
        OperandTyping { code, key, message in error(code, key: key, message) }
    }

    /// The single value of a side; an error without a place is at the operator.
    func operand(_ side: ResolverSide) throws(FetchPredicateError) -> ResolvedOperand {
        do {
            return try resolver.operand(side)
        } catch {
            guard error.column == nil else { throw error }
            throw self.error(error.code, key: error.key, error.message)
        }
    }

    func error(
        _ code: FetchPredicateError.Code, at expression: FetchExpression? = nil, key: String? = nil,
        _ message: String
    ) -> FetchPredicateError {
        FetchPredicateError(
            code, column: (expression?.column ?? comparison.column).number,
            entity: resolver.entity.name, key: key, message)
    }
}

// MARK: Relations

extension LeafComparison {
    private func relation(
        _ relation: ResolvedRelation, _ left: ResolvedOperand, _ right: ResolvedOperand
    ) throws(FetchPredicateError) -> ResolvedPredicate {
        let (left, right) = try typing.operands(left, right)
        if let own = left.constant, let other = right.constant {
            return .constant(relation.holds(own, other, options))
        }
        for operand in [left, right] where relation != .equal {
            try refuseOrder(of: operand)
        }
        if relation != .equal, left.isNullConstant || right.isNullConstant {
            return .constant(false)
        }
        if left.isObject || right.isObject {
            guard relation == .equal else {
                throw error(
                    .typeMismatch, "Can't put objects in order: only == and != compare them.")
            }
        }
        if case .constant = left {
            return simplified(right, relation.mirrored, left)
        }
        return simplified(left, relation, right)
    }

    private func refuseOrder(of operand: ResolvedOperand) throws(FetchPredicateError) {
        guard operand.type == .transformable else { return }
        throw error(
            .typeMismatch, key: operand.key,
            "Can't put values of \(operand.summary) in order because it is transformable: only == "
                + "and != compare its bytes. Filter what was fetched instead.")
    }

    /// Replaces a comparison of a count with zero by a test for existence.
    private func simplified(
        _ left: ResolvedOperand, _ relation: ResolvedRelation, _ right: ResolvedOperand
    ) -> ResolvedPredicate {
        if case .count(let collection, let filter) = left, collection.owner.steps.isEmpty,
            case .constant(.integer(let number)) = right
        {
            let exists = ResolvedPredicate.exists(collection, filter ?? .constant(true))
            switch (relation, number) {
            case (.greater, 0), (.greaterOrEqual, 1): return exists
            case (.equal, 0), (.less, 1), (.lessOrEqual, 0): return .negation(exists)
            default: break
            }
        }
        return .comparison(left, relation, right, options)
    }

    private func between(
        _ left: ResolverSide, _ right: ResolverSide
    ) throws(FetchPredicateError) -> ResolvedPredicate {
        let bounds: [ResolvedOperand]
        switch right {
        case .constant(.collection(let constants)):
            bounds = try operands(constants.map { .constant($0) })
        case .list(let elements): bounds = try operands(sides(elements))
        default: bounds = []
        }
        guard bounds.count == 2 else {
            throw error(
                .twoValuesNeeded, at: comparison.right,
                "Can't compare with BETWEEN because it needs a collection of two values.")
        }
        // The left side is in both comparisons, and is counted for both.
        return .conjunction([
            try relation(.greaterOrEqual, operand(left), bounds[0]),
            try relation(.lessOrEqual, operand(left), bounds[1]),
        ])
    }

    private func operands(
        _ sides: [ResolverSide]
    ) throws(FetchPredicateError) -> [ResolvedOperand] {
        var operands: [ResolvedOperand] = []
        for side in sides { operands.append(try operand(side)) }
        return operands
    }

    private func sides(
        _ elements: [FetchExpression]
    ) throws(FetchPredicateError) -> [ResolverSide] {
        var sides: [ResolverSide] = []
        for element in elements { sides.append(try resolver.side(element)) }
        return sides
    }
}

// MARK: IN and text

extension LeafComparison {
    private func membership(
        _ left: ResolverSide, _ right: ResolverSide
    ) throws(FetchPredicateError) -> ResolvedPredicate {
        switch right {
        case .constant(.collection(let constants)):
            return try membership(operand(left), constants)
        case .list(let elements):
            var parts: [ResolvedPredicate] = []
            for element in try operands(sides(elements)) {
                parts.append(try relation(.equal, operand(left), element))
            }
            return .disjunction(parts)
        case .constant(.value(.string)), .path, .computed: break
        default: throw notACollection()
        }
        let whole = try operand(right)
        guard whole.type?.isText == true else { throw notACollection() }
        return try text(.contains, whole, operand(left))
    }

    private func notACollection() -> FetchPredicateError {
        error(
            .notACollection, at: comparison.right,
            "Can't look into '\(comparison.right)' with IN because it is not a collection.")
    }

    private func membership(
        _ element: ResolvedOperand, _ constants: [PredicateConstant]
    ) throws(FetchPredicateError) -> ResolvedPredicate {
        var values: Set<PropertyValue> = []
        var objects: Set<PredicateObjectReference> = []
        var containsNull = false
        let typing = typing
        var isInConstants = false
        for constant in constants {
            let (own, other) = try typing.operands(element, operand(.constant(constant)))
            switch other {
            case .object(let object): objects.insert(object)
            case .constant(.null): containsNull = true
            case .constant(let value):
                values.insert(value)
                if case .constant(let own) = own {
                    isInConstants =
                        isInConstants || ResolvedRelation.equal.holds(own, value, options)
                }
            default: break
            }
        }
        if case .constant(let own) = element {
            return .constant(isInConstants || own.isNull && containsNull)
        }
        if values.isEmpty, objects.isEmpty, !containsNull { return .constant(false) }
        return .membership(
            element,
            ResolvedList(values: values, objects: objects, containsNull: containsNull),
            options)
    }

    private func text(
        _ relation: TextRelation, _ left: ResolvedOperand, _ right: ResolvedOperand
    ) throws(FetchPredicateError) -> ResolvedPredicate {
        for operand in [left, right] { try checkText(operand) }
        let options = options.withoutLocale
        if left.isNullConstant || right.isNullConstant { return .constant(false) }
        if relation == .matches, let pattern = right.constant?.text {
            return try match(left, pattern, options)
        }
        if let own = left.constant, let other = right.constant {
            return .constant(try relation.holds(own, other, options))
        }
        return .text(left, relation, right, options)
    }

    private func match(
        _ operand: ResolvedOperand, _ pattern: String, _ options: ComparisonOptions
    ) throws(FetchPredicateError) -> ResolvedPredicate {
        do {
            let expression = try RegularExpression(pattern, options: options)
            guard let text = operand.constant?.text else { return .matches(operand, expression) }
            return .constant(try expression.matches(text))
        } catch {
            throw self.error(error.code, at: comparison.right, error.message)
        }
    }

    private func checkText(_ operand: ResolvedOperand) throws(FetchPredicateError) {
        guard operand.isNullConstant || operand.type?.isText == true else {
            throw error(
                .typeMismatch, key: operand.key,
                "Can't compare \(operand.summary) with \(comparison.operator.rawValue) "
                    + "because it is not text.")
        }
    }
}

extension PredicateOperator {
    /// The relation of two values that the operator asks for, if it is one.
    var relation: ResolvedRelation? {
        switch self {
        case .equal: .equal
        case .less: .less
        case .lessOrEqual: .lessOrEqual
        case .greater: .greater
        case .greaterOrEqual: .greaterOrEqual
        default: nil
        }
    }

    /// The relation of two texts that the operator asks for, if it is one.
    fileprivate var textRelation: TextRelation? {
        switch self {
        case .contains: .contains
        case .beginsWith: .beginsWith
        case .endsWith: .endsWith
        case .like: .like
        case .matches: .matches
        default: nil
        }
    }
}
