/// A validation of a relationship, resolved against the entities at its ends.
///
/// The rule of a to-one is evaluated on the object at the other end. The rule of a to-many is
/// evaluated on the object that has the relationship, with the relationship's name before every
/// key.
package struct RelationshipRule: Sendable {
    package let rule: ValidationRule
    private let predicate: ResolvedPredicate
    private let isOfDestination: Bool

    /// Resolves a validation.
    ///
    /// - Throws: ``FetchPredicateError`` if the predicate cannot be read or does not fit the
    ///   entity.
    init(
        _ rule: ValidationRule, of relationship: RelationshipDescription
    ) throws(FetchPredicateError) {
        self.rule = rule
        isOfDestination = !relationship.isToMany
        let parsed = try FetchPredicate(format: rule.predicateFormat, arguments: [])
        predicate =
            relationship.isToMany
            ? try RuleKeys(key: relationship.name).rewrite(parsed)
                .resolved(for: relationship.entity)
            : try parsed.resolved(for: relationship.destination)
    }

    /// Evaluates the rule; a to-one without a target satisfies every rule.
    ///
    /// - Parameters:
    ///   - owner: The object that has the relationship.
    ///   - target: The object at the other end of a to-one.
    ///
    /// - Throws: Errors of the subjects.
    package func holds(
        for owner: any PredicateSubject, target: (any PredicateSubject)?
    ) throws -> Bool {
        guard isOfDestination else { return try predicate.evaluate(with: owner) }
        guard let target else { return true }
        return try predicate.evaluate(with: target)
    }
}
