/// Rewrites a predicate by replacing some of its expressions.
protocol PredicateRewriting {
    /// The replacement of an expression, with all its parts.
    ///
    /// - Returns: `nil` if the expression stays; its parts are then rewritten.
    func replacement(of form: FetchExpression.Form) -> FetchExpression.Form?

    /// Returns the rewriting for the predicate of a SUBQUERY that binds a variable.
    ///
    /// In that predicate, the variable hides an outer variable of the same name.
    func hiding(_ variable: String) -> Self
}

extension PredicateRewriting {
    func hiding(_ variable: String) -> Self { self }

    func rewrite(_ predicate: FetchPredicate) -> FetchPredicate {
        switch predicate {
        case .constant: predicate
        case .conjunction(let parts): .conjunction(parts.map(rewrite))
        case .disjunction(let parts): .disjunction(parts.map(rewrite))
        case .negation(let inner): .negation(rewrite(inner))
        case .comparison(var comparison):
            {
                comparison.left = rewrite(comparison.left)
                comparison.right = rewrite(comparison.right)
                return .comparison(comparison)
            }()
        }
    }

    func rewrite(_ expression: FetchExpression) -> FetchExpression {
        FetchExpression(
            replacement(of: expression.form) ?? rewrite(expression.form), column: expression.column)
    }

    private func rewrite(_ form: FetchExpression.Form) -> FetchExpression.Form {
        switch form {
        case .constant, .evaluatedObject, .variable: form
        case .path(let root, let steps): rewrite(path: root, steps)
        case .aggregate(let elements): .aggregate(elements.map(rewrite))
        case .arithmetic(let sign, let left, let right):
            .arithmetic(sign, rewrite(left), rewrite(right))
        case .negative(let operand): .negative(rewrite(operand))
        case .complement(let operand): .complement(rewrite(operand))
        case .function(let name, let arguments): .function(name, arguments.map(rewrite))
        case .message(let target, let selector, let arguments):
            .message(rewrite(target), selector: selector, arguments.map(rewrite))
        case .subquery(let collection, let variable, let filter):
            .subquery(rewrite(collection), variable: variable, hiding(variable).rewrite(filter))
        case .cast(let operand, let type): .cast(rewrite(operand), type: type)
        case .ternary(let condition, let first, let second):
            .ternary(rewrite(condition), rewrite(first), rewrite(second))
        case .fetch(let request, let context, let countOnly):
            .fetch(rewrite(request), rewrite(context), rewrite(countOnly))
        case .assignment(let name, let value): .assignment(name, rewrite(value))
        }
    }

    private func rewrite(path root: FetchExpression?, _ steps: [PathStep]) -> FetchExpression.Form {
        let steps = steps.map { step in
            if case .index(let index) = step { PathStep.index(rewrite(index)) } else { step }
        }
        guard let root = root.map(rewrite) else { return .path(nil, steps) }
        switch root.form {
        case .evaluatedObject: return .path(nil, steps)
        case .path(let origin, let own): return .path(origin, own + steps)
        default: return .path(root, steps)
        }
    }
}
