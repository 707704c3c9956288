import AnabranchReplication

/// The arguments of a format, consumed in order.
struct PlaceholderArguments {
    private let values: [(any PredicateArgument)?]
    private var taken = 0
    /// True if the format is read without arguments.
    let isTemplate: Bool
    /// The placeholders of a template so far.
    private(set) var placeholders: [FormatTemplate.Placeholder] = []

    init(_ values: [(any PredicateArgument)?]) { self.init(values, isTemplate: false) }

    private init(_ values: [(any PredicateArgument)?], isTemplate: Bool) {
        self.values = values
        self.isTemplate = isTemplate
    }

    /// The arguments of a format that is read without any.
    static var template: PlaceholderArguments { PlaceholderArguments([], isTemplate: true) }

    /// The form that replaces the next placeholder.
    mutating func form(
        for letter: Character, at column: Int
    ) throws(FetchPredicateError) -> FetchExpression.Form {
        if isTemplate {
            placeholders.append(FormatTemplate.Placeholder(letter: letter, column: column))
            return .variable(FormatTemplate.Placeholder.variable(placeholders.count - 1))
        }
        guard letter == "K" else { return try next(for: letter, at: column).form }
        let steps = try nextKeys(at: column)
        guard case .key(let key) = steps[0], key.lowercased() == "self" else {
            return .path(nil, steps)
        }
        let rest = Array(steps.dropFirst())
        return rest.isEmpty ? .evaluatedObject : .path(nil, rest)
    }

    /// The error that ends the reading of a template at a placeholder that decides on the form.
    func isNeeded(at column: Int?) -> FetchPredicateError {
        FetchPredicateError(
            .missingArgument, column: column,
            "Can't read the format without its arguments because its form depends on one.")
    }

    private mutating func next(
        for letter: Character, at column: Int
    ) throws(FetchPredicateError) -> FetchExpression {
        guard taken < values.count else {
            throw FetchPredicateError(
                .missingArgument, column: column,
                "Can't replace '%\(letter)' because argument \(taken + 1) is missing.")
        }
        let expression: FetchExpression
        do {
            expression = try .constant(values[taken])
        } catch {
            throw FetchPredicateError(
                error.code, column: column,
                "Can't replace '%\(letter)' by argument \(taken + 1). \(error.message)")
        }
        taken += 1
        return letter == "@" ? expression : try number(in: expression, for: letter, at: column)
    }

    /// Reads the next argument as the key path of `%K`.
    mutating func nextKeys(at column: Int) throws(FetchPredicateError) -> [PathStep] {
        if isTemplate { throw isNeeded(at: column) }
        let expression = try next(for: "@", at: column)
        guard case .constant(.value(.string(let path))) = expression.form else {
            throw invalid("%K", "it has to be a key path as a string", at: column)
        }
        let steps = PathStep.keys(of: path)
        guard !steps.contains(.key("")), !steps.contains(.collectionOperator("")) else {
            throw invalid("%K", "'\(path)' has an empty key", at: column)
        }
        return steps
    }

    func checkAllUsed() throws(FetchPredicateError) {
        guard taken < values.count, !isTemplate else { return }
        throw FetchPredicateError(
            .unusedArgument,
            "Can't use \(values.count) arguments because the format has \(taken) placeholders.")
    }

    private func number(
        in expression: FetchExpression, for letter: Character, at column: Int
    ) throws(FetchPredicateError) -> FetchExpression {
        let isFloating =
            switch letter {
            case "e", "E", "f", "F", "g", "G", "a", "A": true
            default: false
            }
        guard case .constant(.value(let value)) = expression.form else {
            throw invalid("%\(letter)", "it has to be a number", at: column)
        }
        switch value {
        case .integer(let number):
            return isFloating
                ? FetchExpression(.constant(.value(.double(Double(number))))) : expression
        case .decimal where isFloating, .double where isFloating: return expression
        case .decimal(let decimal) where decimal.exponent >= 0: return expression
        case .double, .decimal:
            throw invalid("%\(letter)", "it has to be an integer; use %f or %@", at: column)
        default: throw invalid("%\(letter)", "it has to be a number", at: column)
        }
    }

    private func invalid(
        _ placeholder: String, _ reason: String, at column: Int
    ) -> FetchPredicateError {
        FetchPredicateError(
            .invalidArgument, column: column,
            "Can't replace '\(placeholder)' by argument \(taken) because \(reason).")
    }
}
