/// A condition on objects: what a fetch returns, in Core Data's predicate language.
///
/// ```swift
/// let grown = try FetchPredicate("age >= %d AND age <= %d", 100, 200)
/// let mine = grown.and(try FetchPredicate("boss == %@", me.objectID))
/// ```
///
/// A predicate is a value without a model; ``resolved(for:)`` checks it against an entity. Every
/// condition is true or false: a comparison with a missing value is false, and `!=` is the exact
/// negation of `==`, so `email != 'x'` holds where there is no email.
public indirect enum FetchPredicate: Hashable, Sendable {
    /// `TRUEPREDICATE`, `FALSEPREDICATE`.
    case constant(Bool)
    case comparison(PredicateComparison)
    /// All of at least two.
    case conjunction([FetchPredicate])
    /// Any of at least two.
    case disjunction([FetchPredicate])
    case negation(FetchPredicate)

    /// Holds for every object.
    public static let `true` = FetchPredicate.constant(true)
    /// Holds for no object.
    public static let `false` = FetchPredicate.constant(false)
}

extension FetchPredicate {
    /// Reads a format.
    ///
    /// - Parameters:
    ///   - format: As NSPredicate has it: `name BEGINSWITH[c] %@ AND age > %d`.
    ///   - arguments: One for each placeholder: `%@` any value, `%K` a key path as a string, and
    ///     the numeric ones of `printf`.
    /// - Throws: ``FetchPredicateError`` with the column.
    public init(
        _ format: String, _ arguments: (any PredicateArgument)?...
    ) throws(FetchPredicateError) {
        try self.init(format: format, arguments: arguments)
    }

    /// - Throws: ``FetchPredicateError`` with the column.
    public init(
        format: String, _ arguments: (any PredicateArgument)?...
    ) throws(FetchPredicateError) {
        try self.init(format: format, arguments: arguments)
    }

    /// - Throws: ``FetchPredicateError`` with the column.
    public init(
        format: String, arguments: [(any PredicateArgument)?]
    ) throws(FetchPredicateError) {
        var parser = try PredicateParser(format, arguments: arguments)
        self = try parser.parse()
    }

    public func and(_ other: FetchPredicate) -> FetchPredicate {
        switch (self, other) {
        case (.conjunction(let own), .conjunction(let others)): .conjunction(own + others)
        case (.conjunction(let own), _): .conjunction(own + [other])
        case (_, .conjunction(let others)): .conjunction([self] + others)
        default: .conjunction([self, other])
        }
    }

    public func or(_ other: FetchPredicate) -> FetchPredicate {
        switch (self, other) {
        case (.disjunction(let own), .disjunction(let others)): .disjunction(own + others)
        case (.disjunction(let own), _): .disjunction(own + [other])
        case (_, .disjunction(let others)): .disjunction([self] + others)
        default: .disjunction([self, other])
        }
    }

    public var negated: FetchPredicate { .negation(self) }
}
