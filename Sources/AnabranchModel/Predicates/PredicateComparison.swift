/// What a comparison asks of its two sides.
public enum PredicateOperator: String, Hashable, Sendable, CaseIterable {
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case between = "BETWEEN"
    case isIn = "IN"
    case contains = "CONTAINS"
    case beginsWith = "BEGINSWITH"
    case endsWith = "ENDSWITH"
    case like = "LIKE"
    case matches = "MATCHES"
    case conformsToType = "UTI-CONFORMS-TO"
    case equalsType = "UTI-EQUALS"
}

/// How many elements of a to-many key path have to satisfy a comparison.
public enum PredicateQuantifier: String, Hashable, Sendable, CaseIterable {
    /// At least one; `SOME` is the same.
    case any = "ANY"
    /// Every one; true of an empty collection.
    case all = "ALL"
    /// Not any; true of an empty collection.
    case none = "NONE"
}

/// How text is compared: the letters in brackets after an operator.
public struct ComparisonOptions: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `c`: without regard to case.
    public static let caseInsensitive = ComparisonOptions(rawValue: 1)
    /// `d`: without regard to diacritical marks.
    public static let diacriticInsensitive = ComparisonOptions(rawValue: 2)
    /// `n`: the texts are normalized already; the other options do not count.
    public static let normalized = ComparisonOptions(rawValue: 4)
    /// `l`: as the user's locale has it.
    public static let localeSensitive = ComparisonOptions(rawValue: 8)

    static let letters: [(Character, ComparisonOptions)] = [
        ("c", .caseInsensitive), ("d", .diacriticInsensitive), ("n", .normalized),
        ("l", .localeSensitive),
    ]
}

/// One comparison of a predicate.
public struct PredicateComparison: Hashable, Sendable {
    public var quantifier: PredicateQuantifier?
    public var left: FetchExpression
    public var `operator`: PredicateOperator
    public var options: ComparisonOptions
    public var right: FetchExpression
    /// Where the operator stood in the format; no part of what makes comparisons equal.
    public var column: SourceColumn

    public init(
        _ left: FetchExpression, _ comparison: PredicateOperator,
        _ right: FetchExpression, options: ComparisonOptions = [],
        quantifier: PredicateQuantifier? = nil, column: SourceColumn = .none
    ) {
        self.quantifier = quantifier
        self.left = left
        self.operator = comparison
        self.options = options
        self.right = right
        self.column = column
    }
}

/// A place in a format, for error messages. All places are equal, so that predicates are equal
/// by what they mean.
public struct SourceColumn: Hashable, Sendable {
    /// From 1, in Unicode scalars.
    public let number: Int?

    public init(_ number: Int?) { self.number = number }
    public static let none = SourceColumn(nil)

    public static func == (left: SourceColumn, right: SourceColumn) -> Bool { true }
    public func hash(into hasher: inout Hasher) {}
}
