import AnabranchModel
import Foundation

extension PredicateExpressions.OptionalFlatMap: ConvertiblePredicateExpression {
    func converted(by conversion: PredicateConversion) throws(FetchPredicateError) -> Counterpart {
        let base = try conversion.value(wrapped)
        var inner = conversion
        inner.bind(variable.key, to: base)
        switch try inner.convert(transform) {
        case .condition(let condition, let missing):
            let absent = base.compared(.equal, .missing)
            return .condition(
                absent.negated.and(condition), missing: missing.map { absent.or($0) } ?? absent)
        case let result: return result
        }
    }
}

extension PredicateExpressions.ForcedUnwrap: ConvertiblePredicateExpression {
    func converted(by conversion: PredicateConversion) throws(FetchPredicateError) -> Counterpart {
        try conversion.convert(inner)
    }
}

extension PredicateExpressions.NilCoalesce: ConvertiblePredicateExpression {
    func converted(by conversion: PredicateConversion) throws(FetchPredicateError) -> Counterpart {
        switch (try conversion.convert(lhs), try conversion.convert(rhs)) {
        case (.condition(let condition, let missing?), let other):
            switch try other.condition() {
            case .constant(false): return .condition(condition)
            case .constant(true): return .condition(condition.or(missing))
            case let second: return .condition(condition.or(missing.and(second)))
            }
        case (let first, let other):
            let value = try first.value()
            return .value(
                FetchExpression(
                    .ternary(value.compared(.equal, .missing), try other.value(), value)))
        }
    }
}

extension PredicateExpressions.NilLiteral: ConvertiblePredicateExpression {
    func converted(by conversion: PredicateConversion) throws(FetchPredicateError) -> Counterpart {
        .value(.missing)
    }
}

extension PredicateExpressions.Conditional: ConvertiblePredicateExpression {
    func converted(by conversion: PredicateConversion) throws(FetchPredicateError) -> Counterpart {
        let condition = try conversion.condition(test)
        let (first, second) = (
            try conversion.convert(trueBranch), try conversion.convert(falseBranch)
        )
        if case .condition = first, case .condition = second {
            return .condition(
                condition.and(try first.condition())
                    .or(condition.negated.and(try second.condition())))
        }
        return .value(FetchExpression(.ternary(condition, try first.value(), try second.value())))
    }
}
