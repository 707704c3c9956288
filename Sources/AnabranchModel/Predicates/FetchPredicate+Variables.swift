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

extension FetchPredicate {
    /// Returns the predicate on the objects that a variable stands for, instead of on the fetched
    /// objects.
    package func relative(toVariable name: String) -> FetchPredicate {
        RelativePaths(variable: FetchExpression(.variable(name))).rewrite(self)
    }
}

/// Makes all paths from the fetched object begin at a variable.
private struct RelativePaths: PredicateRewriting {
    let variable: FetchExpression

    func replacement(of form: FetchExpression.Form) -> FetchExpression.Form? {
        switch form {
        case .evaluatedObject: variable.form
        case .path(nil, let steps): .path(variable, steps.map(rewrite))
        default: nil
        }
    }

    private func rewrite(_ step: PathStep) -> PathStep {
        if case .index(let index) = step { .index(rewrite(index)) } else { step }
    }
}
