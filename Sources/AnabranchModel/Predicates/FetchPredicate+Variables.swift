extension FetchPredicate {
    /// The predicate with variables replaced; names are without the `$`.
    ///
    /// A variable that SUBQUERY binds hides one of the same name from outside. Variables that are
    /// not named stay.
    ///
    /// - Throws: ``FetchPredicateError`` naming a variable whose value can't be compared.
    public func substituting(
        _ variables: [String: (any PredicateArgument)?]
    ) throws(FetchPredicateError) -> FetchPredicate {
        var values: [String: FetchExpression] = [:]
        for (name, value) in variables {
            do {
                values[name] = try .constant(value)
            } catch {
                throw FetchPredicateError(
                    error.code, "Can't give $\(name) its value. \(error.message)")
            }
        }
        return VariableSubstitution(values: values).rewrite(self)
    }
}

private struct VariableSubstitution: PredicateRewriting {
    var values: [String: FetchExpression]

    func replacement(of form: FetchExpression.Form) -> FetchExpression.Form? {
        if case .variable(let name) = form { values[name]?.form } else { nil }
    }

    func hiding(_ variable: String) -> VariableSubstitution {
        var inner = self
        inner.values[variable] = nil
        return inner
    }
}
