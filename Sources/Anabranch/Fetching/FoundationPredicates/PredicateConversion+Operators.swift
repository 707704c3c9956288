import AnabranchModel
import Foundation

extension PredicateExpressions.Equal: ConvertiblePredicateExpression {
    func converted(by conversion: PredicateConversion) throws(FetchPredicateError) -> Counterpart {
        try conversion.equality(lhs, rhs)
    }
}

extension PredicateExpressions.NotEqual: ConvertiblePredicateExpression {
    func converted(by conversion: PredicateConversion) throws(FetchPredicateError) -> Counterpart {
        .condition(try conversion.equality(lhs, rhs).condition().negated)
    }
}

extension PredicateConversion {
    /// A comparison by `==`. A condition that is compared with a constant stays a condition.
    fileprivate func equality(
        _ left: any PredicateExpression, _ right: any PredicateExpression
    ) throws(FetchPredicateError) -> Counterpart {
        let (left, right) = (try convert(left), try convert(right))
        for (side, other) in [(left, right), (right, left)] {
            if let condition = compared(side, other) { return .condition(condition) }
        }
        return .condition(try left.value().compared(.equal, try right.value()))
    }

    private func compared(_ left: Counterpart, _ right: Counterpart) -> FetchPredicate? {
        guard case .condition(let condition, let missing) = left,
            case .value(let constant) = right, let flag = constant.constantFlag
        else { return nil }
        if flag { return condition }
        let negation = condition.negated
        return missing.map { negation.and($0.negated) } ?? negation
    }
}

extension PredicateExpressions.Comparison: ConvertiblePredicateExpression {
    func converted(by conversion: PredicateConversion) throws(FetchPredicateError) -> Counterpart {
        let comparison: PredicateOperator? =
            switch op {
            case .lessThan: .less
            case .lessThanOrEqual: .lessOrEqual
            case .greaterThan: .greater
            case .greaterThanOrEqual: .greaterOrEqual
            @unknown default: nil
            }
        guard let comparison else {
            throw .unconvertible("the comparison '\(op)'", "use a format")
        }
        return try conversion.comparison(lhs, comparison, rhs)
    }
}

extension PredicateExpressions.Conjunction: ConvertiblePredicateExpression {
    func converted(by conversion: PredicateConversion) throws(FetchPredicateError) -> Counterpart {
        .condition(try conversion.condition(lhs).and(try conversion.condition(rhs)))
    }
}

extension PredicateExpressions.Disjunction: ConvertiblePredicateExpression {
    func converted(by conversion: PredicateConversion) throws(FetchPredicateError) -> Counterpart {
        .condition(try conversion.condition(lhs).or(try conversion.condition(rhs)))
    }
}

extension PredicateExpressions.Negation: ConvertiblePredicateExpression {
    func converted(by conversion: PredicateConversion) throws(FetchPredicateError) -> Counterpart {
        .condition(try conversion.condition(wrapped).negated)
    }
}

extension PredicateExpressions.Arithmetic: ConvertiblePredicateExpression {
    func converted(by conversion: PredicateConversion) throws(FetchPredicateError) -> Counterpart {
        let sign: ArithmeticOperator? =
            switch op {
            case .add: .add
            case .subtract: .subtract
            case .multiply: .multiply
            @unknown default: nil
            }
        guard let sign else { throw .unconvertible("the operator '\(op)'", "use a format") }
        return try conversion.arithmetic(lhs, sign, rhs)
    }
}

extension PredicateExpressions.FloatDivision: ConvertiblePredicateExpression {
    func converted(by conversion: PredicateConversion) throws(FetchPredicateError) -> Counterpart {
        try conversion.arithmetic(lhs, .divide, rhs)
    }
}

extension PredicateExpressions.IntDivision: ConvertiblePredicateExpression {
    func converted(by conversion: PredicateConversion) throws(FetchPredicateError) -> Counterpart {
        try conversion.arithmetic(lhs, .divide, rhs)
    }
}

extension PredicateExpressions.IntRemainder: ConvertiblePredicateExpression {
    func converted(by conversion: PredicateConversion) throws(FetchPredicateError) -> Counterpart {
        let operands = [try conversion.value(lhs), try conversion.value(rhs)]
        return .value(FetchExpression(.function("modulus:by", operands)))
    }
}

extension PredicateExpressions.UnaryMinus: ConvertiblePredicateExpression {
    func converted(by conversion: PredicateConversion) throws(FetchPredicateError) -> Counterpart {
        .value(FetchExpression(.negative(try conversion.value(wrapped))))
    }
}
