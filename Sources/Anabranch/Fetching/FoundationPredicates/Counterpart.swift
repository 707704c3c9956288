import AnabranchModel
import AnabranchReplication

/// The counterpart of a part of a Foundation predicate in the predicate language.
enum Counterpart {
    /// A value: a constant, a path or a computed value.
    case value(FetchExpression)
    /// A condition.
    ///
    /// - Parameter missing: Holds if the condition has no answer because an optional before it has
    ///   no value; `nil` if it always has one. The condition does not hold then.
    case condition(FetchPredicate, missing: FetchPredicate? = nil)
    /// The values between two bounds.
    case range(FetchExpression, FetchExpression, isClosed: Bool)

    /// The expression as a value, in which a condition is 1 or 0.
    func value() throws(FetchPredicateError) -> FetchExpression {
        switch self {
        case .value(let expression): return expression
        case .condition(let condition, let missing):
            let flag = FetchExpression(.ternary(condition, .flag(true), .flag(false)))
            guard let missing else { return flag }
            return FetchExpression(.ternary(missing, .missing, flag))
        case .range:
            throw .unconvertible("a range", "ask whether it contains a value")
        }
    }

    /// The expression as a condition; a value is compared with true.
    func condition() throws(FetchPredicateError) -> FetchPredicate {
        switch self {
        case .condition(let condition, _): return condition
        case .value(let expression):
            return expression.constantFlag.map { .constant($0) }
                ?? expression.compared(.equal, .flag(true))
        case .range: throw .unconvertible("a range", "ask whether it contains a value")
        }
    }
}

extension FetchExpression {
    static let missing = FetchExpression(.constant(.value(.null)))

    static func flag(_ flag: Bool) -> FetchExpression { flag.predicateExpression }

    /// The value of a constant Boolean.
    var constantFlag: Bool? {
        guard case .constant(.value(.integer(let number))) = form, number == 0 || number == 1 else {
            return nil
        }
        return number == 1
    }

    var isConstantCollection: Bool {
        if case .constant(.collection) = form { true } else { false }
    }

    /// The value at the end of further steps.
    func appending(_ steps: [PathStep]) -> FetchExpression {
        switch form {
        case _ where steps.isEmpty: self
        case .evaluatedObject: FetchExpression(.path(nil, steps))
        case .path(let root, let own): FetchExpression(.path(root, own + steps))
        default: FetchExpression(.path(self, steps))
        }
    }

    func compared(
        _ comparison: PredicateOperator, _ other: FetchExpression, _ options: ComparisonOptions = []
    ) -> FetchPredicate {
        .comparison(PredicateComparison(self, comparison, other, options: options))
    }

    /// A condition on the number of elements that a subquery finds.
    func counted(_ comparison: PredicateOperator, _ number: Int64) -> FetchPredicate {
        appending([.collectionOperator("count")])
            .compared(comparison, PropertyValue.integer(number).predicateExpression)
    }
}

extension FetchPredicateError {
    /// - Parameters:
    ///   - part: The part of a predicate that can't be converted.
    ///   - advice: The clause that says what to do.
    static func unconvertible(_ part: String, _ advice: String) -> FetchPredicateError {
        FetchPredicateError(
            .notEvaluable,
            "Can't use \(part) of a Foundation predicate because a store can't evaluate it; "
                + "\(advice).")
    }
}
