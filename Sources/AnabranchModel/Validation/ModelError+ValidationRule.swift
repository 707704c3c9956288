extension ModelError {
    /// The error for a validation that cannot be used.
    ///
    /// - Parameter path: The property, as messages name it.
    init(
        _ rule: ValidationRule, of path: String, entity: String, property: String,
        _ error: FetchPredicateError
    ) {
        let column = error.column.map { " at column \($0)" } ?? ""
        self.init(
            .invalidPredicate, entity: entity, property: property,
            "Can't validate \(path) by '\(rule.predicateFormat)'\(column): \(error.message)")
    }
}
