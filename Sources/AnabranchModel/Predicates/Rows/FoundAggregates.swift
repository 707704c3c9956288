/// Notes whether the values of all rows of a group are used.
final class FoundAggregates {
    fileprivate(set) var areUsed = false
}

extension PredicateResolver {
    /// Resolves a function of the values that the rows of a group have, or of the objects.
    ///
    /// - Returns: `nil` if there are no groups here.
    func aggregate(
        _ reduction: ValueReduction, of argument: FetchExpression, _ expression: FetchExpression
    ) throws(FetchPredicateError) -> ResolvedOperand? {
        guard let aggregates else { return nil }
        aggregates.areUsed = true
        let (argument, isDistinct) = Self.distinct(argument)
        // No function of a group stands inside another.
        let row = overRows(nil)
        let operand = try row.operand(row.side(argument))
        guard reduction != .count else {
            return .aggregate(.count, operand, isDistinct: isDistinct, .integer64)
        }
        let type = try type(of: reduction, of: [operand], expression)
        return .aggregate(reduction, operand, isDistinct: false, type)
    }

    /// The values behind `@distinctUnionOfObjects`, of which equal ones count once.
    private static func distinct(_ argument: FetchExpression) -> (FetchExpression, Bool) {
        guard case .path(nil, let steps) = argument.form,
            steps.first == .collectionOperator("distinctUnionOfObjects")
        else { return (argument, false) }
        let rest = Array(steps.dropFirst())
        let form: FetchExpression.Form = rest.isEmpty ? .evaluatedObject : .path(nil, rest)
        return (FetchExpression(form, column: argument.column), true)
    }
}
