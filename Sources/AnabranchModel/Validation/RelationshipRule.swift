/// A rule of a relationship, checked against the entities at its ends.
///
/// Of a to-one it is a predicate of the object at the other end. Of a to-many it is one of the
/// object that has the relationship, with the relationship's name before every key.
package struct RelationshipRule: Sendable {
    package let rule: ValidationRule
    private let predicate: ResolvedPredicate
    private let isOfDestination: Bool

    /// - Throws: ``FetchPredicateError`` where the predicate can't be read or does not fit.
    init(
        _ rule: ValidationRule, of relationship: RelationshipDescription
    ) throws(FetchPredicateError) {
        self.rule = rule
        isOfDestination = !relationship.isToMany
        let parsed = try FetchPredicate(format: rule.predicateFormat, arguments: [])
        predicate =
            relationship.isToMany
            ? try CollectionKeys(key: relationship.name).rewrite(parsed)
                .resolved(for: relationship.entity)
            : try parsed.resolved(for: relationship.destination)
    }

    /// - Parameters:
    ///   - owner: That has the relationship.
    ///   - target: Of a to-one, the object at the other end.
    /// - Throws: What the subjects throw.
    package func holds(
        for owner: any PredicateSubject, target: (any PredicateSubject)?
    ) throws -> Bool {
        guard isOfDestination else { return try predicate.evaluate(with: owner) }
        guard let target else { return true }
        return try predicate.evaluate(with: target)
    }
}

/// Puts a to-many relationship before the keys of a rule.
private struct CollectionKeys: PredicateRewriting {
    let key: String

    func replacement(of form: FetchExpression.Form) -> FetchExpression.Form? {
        switch form {
        case .evaluatedObject: .path(nil, [.key(key)])
        case .path(nil, let steps): .path(nil, [.key(key)] + steps)
        default: nil
        }
    }
}
