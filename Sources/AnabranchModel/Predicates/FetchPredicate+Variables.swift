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
        return VariableSubstitution(values: values).replace(in: self)
    }
}

private struct VariableSubstitution {
    let values: [String: FetchExpression]

    func replace(in predicate: FetchPredicate) -> FetchPredicate {
        switch predicate {
        case .constant: predicate
        case .conjunction(let parts): .conjunction(parts.map(replace))
        case .disjunction(let parts): .disjunction(parts.map(replace))
        case .negation(let inner): .negation(replace(in: inner))
        case .comparison(var comparison):
            {
                comparison.left = replace(in: comparison.left)
                comparison.right = replace(in: comparison.right)
                return .comparison(comparison)
            }()
        }
    }

    func replace(in expression: FetchExpression) -> FetchExpression {
        if case .variable(let name) = expression.form, let value = values[name] {
            return FetchExpression(value.form, column: expression.column)
        }
        return FetchExpression(replace(in: expression.form), column: expression.column)
    }

    private func replace(in form: FetchExpression.Form) -> FetchExpression.Form {
        switch form {
        case .constant, .evaluatedObject, .variable: form
        case .path(let root, let steps): replace(inPath: root, steps)
        case .aggregate(let elements):
            FetchExpression.aggregate(elements.map(replace)).form
        case .arithmetic(let sign, let left, let right):
            .arithmetic(sign, replace(in: left), replace(in: right))
        case .negative(let operand): .negative(replace(in: operand))
        case .complement(let operand): .complement(replace(in: operand))
        case .function(let name, let arguments): .function(name, arguments.map(replace))
        case .message(let target, let selector, let arguments):
            .message(replace(in: target), selector: selector, arguments.map(replace))
        case .subquery(let collection, let variable, let filter):
            .subquery(
                replace(in: collection), variable: variable,
                hiding(variable).replace(in: filter))
        case .cast(let operand, let type): .cast(replace(in: operand), type: type)
        case .ternary(let condition, let first, let second):
            .ternary(replace(in: condition), replace(in: first), replace(in: second))
        case .fetch(let request, let context, let countOnly):
            .fetch(replace(in: request), replace(in: context), replace(in: countOnly))
        case .assignment(let name, let value): .assignment(name, replace(in: value))
        }
    }

    private func replace(
        inPath root: FetchExpression?, _ steps: [PathStep]
    ) -> FetchExpression.Form {
        let steps = steps.map { step in
            if case .index(let index) = step { PathStep.index(replace(in: index)) } else { step }
        }
        guard let root = root.map(replace) else { return .path(nil, steps) }
        switch root.form {
        case .evaluatedObject: return .path(nil, steps)
        case .path(let origin, let own): return .path(origin, own + steps)
        default: return .path(root, steps)
        }
    }

    private func hiding(_ variable: String) -> VariableSubstitution {
        var values = values
        values[variable] = nil
        return VariableSubstitution(values: values)
    }
}
