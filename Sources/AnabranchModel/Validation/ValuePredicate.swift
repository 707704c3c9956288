import AnabranchReplication

/// The predicate of an attribute's validation, resolved against the attribute's type.
///
/// It is resolved on a substitute entity that has this attribute alone. Comparisons in a rule
/// therefore mean the same as comparisons of stored attributes.
struct ValuePredicate: Sendable {
    private let entity: EntityDescription
    private let predicate: ResolvedPredicate

    /// Resolves a validation.
    ///
    /// - Throws: ``FetchPredicateError`` if the predicate cannot be read, or cannot compare values
    ///   of the attribute's type.
    init(
        _ format: String, of attribute: AttributeDeclaration, entity name: String
    ) throws(FetchPredicateError) {
        let parsed = try FetchPredicate(format: format, arguments: [])
        var standIn = EntityDeclaration(name)
        standIn.attributes = [AttributeDeclaration(attribute.name, attribute.type)]
        entity = ModelGraph(ModelDeclaration(entities: [standIn])).entities[0]
        predicate = try RuleKeys(key: attribute.name).rewrite(parsed).resolved(for: entity)
    }

    /// Evaluates the predicate.
    ///
    /// - Parameter value: A value of the attribute's type, not null.
    func holds(for value: PropertyValue) -> Bool {
        let subject = ValueSubject(predicateEntity: entity, value: value)
        // The substitute never throws. A regular expression that takes too many steps does, and
        // then the value is refused.
        return (try? predicate.evaluate(with: subject)) ?? false
    }
}

/// Inserts a key before the keys of a rule, and replaces `SELF` by it: the attribute of the
/// substitute entity, or a to-many relationship.
struct RuleKeys: PredicateRewriting {
    let key: String

    func replacement(of form: FetchExpression.Form) -> FetchExpression.Form? {
        switch form {
        case .evaluatedObject: .path(nil, [.key(key)])
        case .path(nil, let steps): .path(nil, [.key(key)] + steps)
        default: nil
        }
    }
}

/// The substitute object, which offers a value to the predicate of a rule.
private struct ValueSubject: PredicateSubject {
    let predicateEntity: EntityDescription
    let value: PropertyValue

    var predicateReference: PredicateObjectReference? { nil }

    func predicateValue(forKey key: String) -> PredicateOperand { .value(value) }
}
