/// The compiled regular expression and validations of an attribute.
struct ValueRules: Sendable {
    let expression: RegularExpression?
    /// The validations with their resolved predicates, in the declared order.
    let rules: [(rule: ValidationRule, predicate: ValuePredicate)]

    /// Compiles what an attribute of a checked model declares.
    ///
    /// - Returns: `nil` if it declares neither an expression nor a validation.
    init?(of attribute: AttributeDescription) {
        let declaration = attribute.declaration
        guard declaration.regularExpression != nil || !declaration.validations.isEmpty else {
            return nil
        }
        expression = declaration.regularExpression.flatMap { try? RegularExpression($0) }
        // The model's check has already read these predicates in the same way.
        rules = declaration.validations.compactMap { rule in
            (try? ValuePredicate(
                rule.predicateFormat, of: declaration, entity: attribute.entity.name))
                .map { (rule, $0) }
        }
    }
}
