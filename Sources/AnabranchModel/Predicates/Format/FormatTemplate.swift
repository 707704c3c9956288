import AnabranchReplication

/// A format that was read without its arguments: each placeholder is a variable, which the
/// arguments of a use replace.
struct FormatTemplate: Sendable {
    /// A placeholder by its letter, and the column at which it begins.
    struct Placeholder: Sendable {
        let letter: Character
        let column: Int

        /// The variable that stands for a placeholder; no name in a format contains a `%`.
        static func variable(_ index: Int) -> String { "%\(index)" }

        /// The index of the placeholder for which a variable stands; `nil` for any other variable.
        static func index(of variable: String) -> Int? {
            guard variable.utf8.first == UInt8(ascii: "%") else { return nil }
            return Int(variable.dropFirst())
        }
    }

    private let predicate: FetchPredicate
    private let placeholders: [Placeholder]

    /// Reads a format.
    ///
    /// - Returns: `nil` for a wrong format, and for one with a form that depends on its arguments.
    init?(_ format: String) {
        guard var parser = try? PredicateParser(format, arguments: .template),
            let predicate = try? parser.parse()
        else { return nil }
        self.predicate = predicate
        placeholders = parser.arguments.placeholders
    }

    /// The predicate with one argument for each placeholder.
    func predicate(
        with arguments: [(any PredicateArgument)?]
    ) throws(FetchPredicateError) -> FetchPredicate {
        var rest = PlaceholderArguments(arguments)
        var values: [FetchExpression.Form] = []
        values.reserveCapacity(placeholders.count)
        for placeholder in placeholders {
            values.append(try rest.form(for: placeholder.letter, at: placeholder.column))
        }
        try rest.checkAllUsed()
        return values.isEmpty
            ? predicate : PlaceholderSubstitution(values: values).rewrite(predicate)
    }
}

/// Replaces the placeholders of a template, and folds what the parser would have folded.
private struct PlaceholderSubstitution: PredicateRewriting {
    let values: [FetchExpression.Form]

    func replacement(of form: FetchExpression.Form) -> FetchExpression.Form? {
        switch form {
        case .variable(let name): FormatTemplate.Placeholder.index(of: name).map { values[$0] }
        case .aggregate(let elements): FetchExpression.aggregate(elements.map(rewrite)).form
        case .negative(let operand): ConstantFolding.negative(rewrite(operand))
        case .cast(let operand, let type): ConstantFolding.cast(rewrite(operand), to: type)
        default: nil
        }
    }
}
