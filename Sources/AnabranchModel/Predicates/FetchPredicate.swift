/// A condition on objects, in Core Data's predicate language.
///
///  ```swift
///  let grown = try FetchPredicate("age >= %d AND age <= %d", 100, 200)
///  let mine = grown.and(try FetchPredicate("boss == %@", me.objectID))
///  ```
///
/// A predicate does not belong to a model; it is checked against an entity when it is used. Every
/// condition is true or false. A comparison with a missing value is false, and `!=`
/// is the exact negation of `==`, so `email != 'x'` holds for an object without an email.
///
/// It is closed: only a new major version adds a case.
public indirect enum FetchPredicate: Hashable, Sendable {
    /// `TRUEPREDICATE`, `FALSEPREDICATE`.
    case constant(Bool)
    /// A comparison of two expressions.
    case comparison(PredicateComparison)
    /// The conjunction of at least two predicates.
    case conjunction([FetchPredicate])
    /// The disjunction of at least two predicates.
    case disjunction([FetchPredicate])
    /// The negation of a predicate.
    case negation(FetchPredicate)

    /// Holds for every object.
    public static let `true` = FetchPredicate.constant(true)
    /// Holds for no object.
    public static let `false` = FetchPredicate.constant(false)
}

extension FetchPredicate {
    /// Returns a predicate that holds if both predicates hold.
    public func and(_ other: FetchPredicate) -> FetchPredicate {
        switch (self, other) {
        case (.conjunction(let own), .conjunction(let others)): .conjunction(own + others)
        case (.conjunction(let own), _): .conjunction(own + [other])
        case (_, .conjunction(let others)): .conjunction([self] + others)
        default: .conjunction([self, other])
        }
    }

    /// Returns a predicate that holds if one of the predicates holds.
    public func or(_ other: FetchPredicate) -> FetchPredicate {
        switch (self, other) {
        case (.disjunction(let own), .disjunction(let others)): .disjunction(own + others)
        case (.disjunction(let own), _): .disjunction(own + [other])
        case (_, .disjunction(let others)): .disjunction([self] + others)
        default: .disjunction([self, other])
        }
    }

    /// The predicate that holds if this one does not.
    public var negated: FetchPredicate { .negation(self) }
}
