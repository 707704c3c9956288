import AnabranchModel
import Foundation

extension PredicateExpressions.SequenceContains: ConvertiblePredicateExpression {
    func converted(by conversion: PredicateConversion) throws(FetchPredicateError) -> Counterpart {
        let (collection, member) = (try conversion.value(sequence), try conversion.value(element))
        return .condition(
            collection.isConstantCollection
                ? member.compared(.isIn, collection) : collection.compared(.contains, member))
    }
}

extension PredicateExpressions.SequenceContainsWhere: ConvertiblePredicateExpression {
    func converted(by conversion: PredicateConversion) throws(FetchPredicateError) -> Counterpart {
        .condition(
            try conversion.elements(of: sequence, where: test, variable.key)
                .counted(.greater, 0))
    }
}

extension PredicateExpressions.SequenceAllSatisfy: ConvertiblePredicateExpression {
    func converted(by conversion: PredicateConversion) throws(FetchPredicateError) -> Counterpart {
        .condition(
            try conversion.elements(of: sequence, where: test, variable.key, isNegated: true)
                .counted(.equal, 0))
    }
}

extension PredicateExpressions.Filter: ConvertiblePredicateExpression {
    func converted(by conversion: PredicateConversion) throws(FetchPredicateError) -> Counterpart {
        .value(try conversion.elements(of: sequence, where: filter, variable.key))
    }
}

extension PredicateExpressions.SequenceStartsWith: ConvertiblePredicateExpression {
    func converted(by conversion: PredicateConversion) throws(FetchPredicateError) -> Counterpart {
        try conversion.comparison(base, .beginsWith, prefix)
    }
}

extension PredicateExpressions.CollectionContainsCollection: ConvertiblePredicateExpression {
    func converted(by conversion: PredicateConversion) throws(FetchPredicateError) -> Counterpart {
        try conversion.comparison(base, .contains, other)
    }
}

extension PredicateExpressions.ClosedRange: ConvertiblePredicateExpression {
    func converted(by conversion: PredicateConversion) throws(FetchPredicateError) -> Counterpart {
        .range(try conversion.value(lower), try conversion.value(upper), isClosed: true)
    }
}

extension PredicateExpressions.Range: ConvertiblePredicateExpression {
    func converted(by conversion: PredicateConversion) throws(FetchPredicateError) -> Counterpart {
        .range(try conversion.value(lower), try conversion.value(upper), isClosed: false)
    }
}

extension PredicateExpressions.RangeExpressionContains: ConvertiblePredicateExpression {
    func converted(by conversion: PredicateConversion) throws(FetchPredicateError) -> Counterpart {
        guard case .range(let lower, let upper, let isClosed) = try conversion.convert(range) else {
            throw .unconvertible("a range without two bounds", "compare with its bound")
        }
        let value = try conversion.value(element)
        return .condition(
            value.compared(.greaterOrEqual, lower)
                .and(value.compared(isClosed ? .lessOrEqual : .less, upper)))
    }
}
