public import AnabranchModel
public import Foundation

extension FetchPredicate {
    /// Converts a predicate that was made by `#Predicate`.
    ///
    /// ```swift
    /// let name = "Ada"
    /// let predicate = try FetchPredicate(
    ///     #Predicate<Person> { $0.age >= 18 && $0.boss?.name == name })
    /// ```
    ///
    /// A comparison with a missing value is false, also after a forced unwrap. Texts are compared
    /// by their Unicode scalars. Conversions between classes and indexes of collections have no
    /// counterpart.
    ///
    /// - Throws: ``FetchPredicateError`` with code `notEvaluable` for an operation without a
    ///   counterpart, with code `notAProperty` for a computed property, and with code
    ///   `invalidArgument` for a value that no attribute can hold.
    public init<Object: ManagedObject>(_ predicate: Predicate<Object>) throws(FetchPredicateError) {
        var conversion = PredicateConversion()
        conversion.bind(predicate.variable.key, to: FetchExpression(.evaluatedObject))
        self = try conversion.condition(predicate.expression)
    }
}

extension FetchRequest {
    /// Creates a request with a condition by `#Predicate` and an order.
    ///
    /// - Throws: The errors of `FetchPredicate.init(_:)` for a predicate, and `FetchPredicateError`
    ///   with code `notAProperty` for a sort by a computed property.
    public init(
        where predicate: Predicate<Object>, sortedBy sorts: PartialKeyPath<Object>...
    ) throws(FetchPredicateError) {
        self.init()
        self.predicate = try FetchPredicate(predicate)
        self.sorts = try FetchSort.keys(sorts)
    }
}

/// A part of a Foundation predicate that has a counterpart.
protocol ConvertiblePredicateExpression {
    func converted(by conversion: PredicateConversion) throws(FetchPredicateError) -> Counterpart
}

/// The conversion of a Foundation predicate, with what its variables stand for.
struct PredicateConversion {
    private var variables: [PredicateExpressions.VariableID: FetchExpression] = [:]
    /// How many subqueries are around the part that is being converted.
    private var depth = 0

    mutating func bind(_ variable: PredicateExpressions.VariableID, to value: FetchExpression) {
        variables[variable] = value
    }

    func value(
        of variable: PredicateExpressions.VariableID
    ) throws(FetchPredicateError) -> FetchExpression {
        guard let value = variables[variable] else {
            throw .unconvertible("a variable of another predicate", "write one predicate")
        }
        return value
    }

    func convert(_ expression: any PredicateExpression) throws(FetchPredicateError) -> Counterpart {
        guard let convertible = expression as? any ConvertiblePredicateExpression else {
            let name = String(describing: type(of: expression)).prefix { $0 != "<" }
            throw .unconvertible(
                "the operation '\(name)'", "filter the fetched objects, or use a format")
        }
        return try convertible.converted(by: self)
    }

    func value(
        _ expression: any PredicateExpression
    ) throws(FetchPredicateError) -> FetchExpression { try convert(expression).value() }

    func condition(
        _ expression: any PredicateExpression
    ) throws(FetchPredicateError) -> FetchPredicate { try convert(expression).condition() }

    func comparison(
        _ left: any PredicateExpression, _ comparison: PredicateOperator,
        _ right: any PredicateExpression
    ) throws(FetchPredicateError) -> Counterpart {
        .condition(try value(left).compared(comparison, try value(right)))
    }

    func arithmetic(
        _ left: any PredicateExpression, _ sign: ArithmeticOperator,
        _ right: any PredicateExpression
    ) throws(FetchPredicateError) -> Counterpart {
        .value(FetchExpression(.arithmetic(sign, try value(left), try value(right))))
    }

    /// The elements of a to-many relationship for which a condition holds.
    func elements(
        of collection: any PredicateExpression, where test: any PredicateExpression,
        _ variable: PredicateExpressions.VariableID, isNegated: Bool = false
    ) throws(FetchPredicateError) -> FetchExpression {
        let collection = try value(collection)
        var inner = self
        inner.depth += 1
        let name = "object\(inner.depth)"
        inner.bind(variable, to: FetchExpression(.variable(name)))
        let condition = try inner.condition(test)
        return FetchExpression(
            .subquery(collection, variable: name, isNegated ? condition.negated : condition))
    }
}
