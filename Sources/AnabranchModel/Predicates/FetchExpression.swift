import AnabranchReplication

/// One side of a comparison, or a part of it.
public struct FetchExpression: Hashable, Sendable {
    /// The form of an expression, as the predicate language has it.
    package indirect enum Form: Hashable, Sendable {
        /// A literal or the value of a placeholder.
        case constant(PredicateConstant)
        /// `SELF`.
        case evaluatedObject
        /// `$name`.
        case variable(String)
        /// A key path from an expression, or from `SELF` if there is none. Never empty.
        case path(FetchExpression?, [PathStep])
        /// `{ a, b }`.
        case aggregate([FetchExpression])
        /// `a + b` and the other operators.
        case arithmetic(ArithmeticOperator, FetchExpression, FetchExpression)
        /// `-a`.
        case negative(FetchExpression)
        /// `~a`.
        case complement(FetchExpression)
        /// One of the built-in functions, named without the last colon: `sum`, `add:to`.
        case function(String, [FetchExpression])
        /// `FUNCTION(target, selector, arguments…)`.
        case message(FetchExpression, selector: String, [FetchExpression])
        /// `SUBQUERY(collection, $variable, predicate)`.
        case subquery(FetchExpression, variable: String, FetchPredicate)
        /// `CAST(value, type)`.
        case cast(FetchExpression, type: String)
        /// `TERNARY(predicate, then, else)`.
        case ternary(FetchPredicate, FetchExpression, FetchExpression)
        /// `FETCH(request, context, countOnly)`.
        case fetch(FetchExpression, FetchExpression, FetchExpression)
        /// `name := value`.
        case assignment(String, FetchExpression)
    }

    package let form: Form
    /// The column in the format at which the expression begins; ignored by `==`.
    package let column: SourceColumn

    package init(_ form: Form, column: SourceColumn = .none) {
        self.form = form
        self.column = column
    }

    /// The value at the end of a key path from the evaluated object: `boss.name`.
    public static func keyPath(_ keys: String) -> FetchExpression {
        FetchExpression(.path(nil, PathStep.keys(of: keys)))
    }

    /// Creates a constant; `nil` is the missing value.
    ///
    /// - Throws: ``FetchPredicateError`` if the value cannot be compared with any attribute.
    public static func constant(
        _ value: (any PredicateArgument)?
    ) throws(FetchPredicateError) -> FetchExpression {
        guard let value else { return FetchExpression(.constant(.value(.null))) }
        return try value.predicateExpression
    }
}

/// One step of a key path.
package enum PathStep: Hashable, Sendable {
    /// The name of a property.
    case key(String)
    /// `@count`, named without the `@`.
    case collectionOperator(String)
    /// `[FIRST]`.
    case first
    /// `[LAST]`.
    case last
    /// `[SIZE]`.
    case size
    /// `[expression]`.
    case index(FetchExpression)

    /// Splits the value of a `%K` placeholder: keys and collection operators between points.
    static func keys(of path: String) -> [PathStep] {
        path.split(separator: ".", omittingEmptySubsequences: false).map { part in
            part.first == "@" ? .collectionOperator(String(part.dropFirst())) : .key(String(part))
        }
    }
}

/// An operator between two expressions; the raw value is its spelling.
package enum ArithmeticOperator: String, Hashable, Sendable, CaseIterable {
    /// The union of two collections.
    case union = "UNION"
    /// The intersection of two collections.
    case intersection = "INTERSECT"
    /// The first collection without the elements of the second.
    case difference = "MINUS"
    /// Bitwise or.
    case bitwiseOr = "|"
    /// Bitwise exclusive or.
    case bitwiseExclusiveOr = "^"
    /// Bitwise and.
    case bitwiseAnd = "&"
    /// Shift to the left.
    case shiftLeft = "<<"
    /// Shift to the right.
    case shiftRight = ">>"
    /// Addition.
    case add = "+"
    /// Subtraction.
    case subtract = "-"
    /// Multiplication.
    case multiply = "*"
    /// Division.
    case divide = "/"
    /// Power.
    case power = "**"

    /// Greater binds tighter; operators of one precedence group from the left.
    var precedence: Int {
        switch self {
        case .union, .intersection, .difference: 1
        case .bitwiseOr: 2
        case .bitwiseExclusiveOr: 3
        case .bitwiseAnd: 4
        case .shiftLeft, .shiftRight: 5
        case .add, .subtract: 6
        case .multiply, .divide: 7
        case .power: 8
        }
    }
}
