import AnabranchReplication

/// Checks and resolves a comparison of single values.
struct LeafComparison {
    let comparison: PredicateComparison
    let resolver: PredicateResolver

    func resolve(
        _ left: ResolverSide, _ right: ResolverSide
    ) throws(FetchPredicateError) -> ResolvedPredicate {
        if comparison.options.contains(.localeSensitive) {
            throw error(.notSupportedYet, "Can't compare by locale ([l]): not supported yet.")
        }
        switch comparison.operator {
        case .equal: return try relation(.equal, left, right)
        case .notEqual: return .negation(try relation(.equal, left, right))
        case .less: return try relation(.less, left, right)
        case .lessOrEqual: return try relation(.lessOrEqual, left, right)
        case .greater: return try relation(.greater, left, right)
        case .greaterOrEqual: return try relation(.greaterOrEqual, left, right)
        case .between: return try between(left, right)
        case .isIn: return try membership(left, right)
        case .contains: return try text(.contains, left, right)
        case .beginsWith: return try text(.beginsWith, left, right)
        case .endsWith: return try text(.endsWith, left, right)
        case .like: return try text(.like, left, right)
        case .matches, .conformsToType, .equalsType:
            throw error(
                .notSupportedYet,
                "Can't evaluate \(comparison.operator.rawValue): it is read, and not supported "
                    + "yet.")
        }
    }

    var options: ComparisonOptions { comparison.options.effective }

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
        _ relation: ResolvedRelation, _ left: ResolverSide, _ right: ResolverSide
    ) throws(FetchPredicateError) -> ResolvedPredicate {
        let (left, right) = try OperandTyping(leaf: self).operands(left, right)
        if case .constant = left, case .constant = right {
            return .constant(relation.holds(left.constant, right.constant, options))
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
        guard case .attribute(_, let attribute) = operand, attribute.type == .transformable else {
            return
        }
        throw error(
            .typeMismatch, key: attribute.name,
            "Can't put values of \(attribute) in order because it is transformable: only == and "
                + "!= compare its bytes. Filter what was fetched instead.")
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
        let bounds: [ResolverSide]
        switch right {
        case .constant(.collection(let constants)): bounds = constants.map { .constant($0) }
        case .list(let elements): bounds = try sides(elements)
        default: bounds = []
        }
        guard bounds.count == 2 else {
            throw error(
                .twoValuesNeeded, at: comparison.right,
                "Can't compare with BETWEEN because it needs a collection of two values.")
        }
        return .conjunction([
            try relation(.greaterOrEqual, left, bounds[0]),
            try relation(.lessOrEqual, left, bounds[1]),
        ])
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
        case .constant(.collection(let constants)): return try membership(left, constants)
        case .list(let elements):
            var parts: [ResolvedPredicate] = []
            for element in try sides(elements) {
                parts.append(try relation(.equal, left, element))
            }
            return .disjunction(parts)
        case .constant(.value(.string)), .path: break
        default: throw notACollection()
        }
        let typing = OperandTyping(leaf: self)
        guard try typing.isText(right) else { throw notACollection() }
        return try text(.contains, right, left)
    }

    private func notACollection() -> FetchPredicateError {
        error(
            .notACollection, at: comparison.right,
            "Can't look into '\(comparison.right)' with IN because it is not a collection.")
    }

    private func membership(
        _ left: ResolverSide, _ constants: [PredicateConstant]
    ) throws(FetchPredicateError) -> ResolvedPredicate {
        var values: Set<Value> = []
        var objects: Set<PredicateObjectReference> = []
        var containsNull = false
        let typing = OperandTyping(leaf: self)
        let element = try typing.operand(left)
        var isInConstants = false
        for constant in constants {
            let (own, other) = try typing.operands(left, .constant(constant))
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
        _ relation: TextRelation, _ left: ResolverSide, _ right: ResolverSide
    ) throws(FetchPredicateError) -> ResolvedPredicate {
        let typing = OperandTyping(leaf: self)
        let (left, right) = (try typing.text(left), try typing.text(right))
        if left.isNullConstant || right.isNullConstant { return .constant(false) }
        if case .constant(let own) = left, case .constant(let other) = right {
            return .constant(relation.holds(own, other, options))
        }
        return .text(left, relation, right, options)
    }
}

extension ResolvedOperand {
    var isNullConstant: Bool { if case .constant(.null) = self { true } else { false } }

    fileprivate var isObject: Bool {
        switch self {
        case .object, .record: true
        case .constant, .attribute, .count: false
        }
    }

    /// The value of a constant; `null` for any other operand.
    fileprivate var constant: Value { if case .constant(let value) = self { value } else { .null } }
}
