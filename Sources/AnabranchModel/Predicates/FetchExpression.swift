import AnabranchReplication

/// One side of a comparison, or a part of it.
public struct FetchExpression: Hashable, Sendable {
    public indirect enum Form: Hashable, Sendable {
        case constant(PredicateConstant)
        /// `SELF`.
        case evaluatedObject
        /// `$name`.
        case variable(String)
        /// A key path from an expression; from `SELF` where there is none. Never empty.
        case path(FetchExpression?, [PathStep])
        /// `{ a, b }`.
        case aggregate([FetchExpression])
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

    public let form: Form
    /// Where the expression began in the format; no part of what makes expressions equal.
    public let column: SourceColumn

    public init(_ form: Form, column: SourceColumn = .none) {
        self.form = form
        self.column = column
    }

    /// The value at the end of a key path from the evaluated object: `boss.name`.
    public static func keyPath(_ keys: String) -> FetchExpression {
        FetchExpression(.path(nil, PathStep.keys(of: keys)))
    }

    /// - Throws: ``FetchPredicateError`` where the value can't be compared with any attribute.
    public static func constant(
        _ value: (any PredicateArgument)?
    ) throws(FetchPredicateError) -> FetchExpression {
        guard let value else { return FetchExpression(.constant(.value(.null))) }
        return try value.predicateExpression
    }
}

/// One step of a key path.
public enum PathStep: Hashable, Sendable {
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

    /// Splits what replaces `%K`: keys and collection operators between points.
    static func keys(of path: String) -> [PathStep] {
        path.split(separator: ".", omittingEmptySubsequences: false).map { part in
            part.first == "@" ? .collectionOperator(String(part.dropFirst())) : .key(String(part))
        }
    }
}

public enum ArithmeticOperator: String, Hashable, Sendable, CaseIterable {
    case union = "UNION"
    case intersection = "INTERSECT"
    case difference = "MINUS"
    case bitwiseOr = "|"
    case bitwiseExclusiveOr = "^"
    case bitwiseAnd = "&"
    case shiftLeft = "<<"
    case shiftRight = ">>"
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
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
