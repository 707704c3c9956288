/// The operator of a comparison; the raw value is its canonical spelling.
package enum PredicateOperator: String, Hashable, Sendable, CaseIterable {
    /// The sides are equal; a missing value equals a missing value.
    case equal = "=="
    /// The exact negation of `==`.
    case notEqual = "!="
    /// The left side is less than the right side.
    case less = "<"
    /// The left side is less than or equal to the right side.
    case lessOrEqual = "<="
    /// The left side is greater than the right side.
    case greater = ">"
    /// The left side is greater than or equal to the right side.
    case greaterOrEqual = ">="
    /// The left side lies between the two values of the right side, both included.
    case between = "BETWEEN"
    /// The left side is an element of the right side, or a part of its text.
    case isIn = "IN"
    /// The left side has the right side as an element, or as a part of its text.
    case contains = "CONTAINS"
    /// The left text begins with the right text.
    case beginsWith = "BEGINSWITH"
    /// The left text ends with the right text.
    case endsWith = "ENDSWITH"
    /// The left text matches a pattern with the wildcards `*` and `?`.
    case like = "LIKE"
    /// The left text matches a regular expression as a whole, or is found by a search for words.
    case matches = "MATCHES"
    /// The left type identifier conforms to the right one; not evaluated.
    case conformsToType = "UTI-CONFORMS-TO"
    /// The left type identifier equals the right one; not evaluated.
    case equalsType = "UTI-EQUALS"
}

/// The number of elements of a to-many key path that must satisfy a comparison.
package enum PredicateQuantifier: String, Hashable, Sendable, CaseIterable {
    /// At least one element; `SOME` means the same.
    case any = "ANY"
    /// Every element; true for an empty collection.
    case all = "ALL"
    /// Not a single element; true for an empty collection.
    case none = "NONE"
}

/// The options of a text comparison, written as letters in brackets after an operator.
public struct ComparisonOptions: OptionSet, Hashable, Sendable {
    /// The bits of the options.
    public let rawValue: UInt8
    /// Creates options from their bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `c`: ignores case.
    public static let caseInsensitive = ComparisonOptions(rawValue: 1)
    /// `d`: ignores diacritical marks.
    public static let diacriticInsensitive = ComparisonOptions(rawValue: 2)
    /// `n`: the texts are normalized already, and the other options have no effect.
    public static let normalized = ComparisonOptions(rawValue: 4)
    /// `l`: compares and sorts texts as people expect it, by the root collation of ICU.
    ///
    /// It is the same order for every user. It has no effect on the operators that look for a part
    /// of a text.
    public static let localeSensitive = ComparisonOptions(rawValue: 8)
    /// Orders digits by their value as a number, so that `Item 9` comes before `Item 10`.
    ///
    /// It has an effect together with `localeSensitive`, in sorts; the predicate language has no
    /// letter for it.
    public static let numeric = ComparisonOptions(rawValue: 16)

    /// `s`: MATCHES searches for words instead of a regular expression.
    ///
    /// The left side is a searchable attribute, or an object, of which all searchable attributes
    /// are searched. It takes no other option: a search ignores case and diacritical marks.
    public static let search = ComparisonOptions(rawValue: 32)

    /// The order of lists of files and names, as Core Data's `localizedStandardCompare:`.
    public static let localizedStandard: ComparisonOptions = [.localeSensitive, .numeric]

    static let letters: [(Character, ComparisonOptions)] = [
        ("c", .caseInsensitive), ("d", .diacriticInsensitive), ("n", .normalized),
        ("l", .localeSensitive), ("s", .search),
    ]
}

/// One comparison of a predicate.
public struct PredicateComparison: Hashable, Sendable {
    /// The quantifier of a to-many key path, if there is one.
    package var quantifier: PredicateQuantifier?
    package var left: FetchExpression
    package var `operator`: PredicateOperator
    /// The options in brackets after the operator.
    package var options: ComparisonOptions
    package var right: FetchExpression
    /// The column of the operator in the format; ignored by `==`.
    package var column: SourceColumn

    package init(
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

extension PredicateComparison {
    /// The operator with its options, as a format has it.
    var operatorText: String {
        let letters = options.letters
        return self.operator.rawValue + (letters.isEmpty ? "" : "[\(letters)]")
    }
}

/// A column in a format, for error messages.
///
/// All columns are equal, so that predicates with the same meaning are equal.
package struct SourceColumn: Hashable, Sendable {
    /// The column from 1, in Unicode scalars.
    package let number: Int?

    /// Creates a column; `nil` if it is not known.
    package init(_ number: Int?) { self.number = number }
    /// An unknown column.
    package static let none = SourceColumn(nil)

    package static func == (left: SourceColumn, right: SourceColumn) -> Bool { true }
    /// Hashes nothing, because all columns are equal.
    package func hash(into hasher: inout Hasher) {}
}
