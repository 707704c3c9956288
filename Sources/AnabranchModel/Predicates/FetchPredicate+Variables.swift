extension FetchPredicate {
    /// Replaces variables by values; names are without the `$`.
    ///
    /// A variable that SUBQUERY binds hides an outer variable of the same name. Variables without a
    /// value here stay.
    ///
    /// - Throws: ``FetchPredicateError`` with the name of a variable if its value cannot be
    ///   compared.
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
