import AnabranchReplication

// Parses literals, names, placeholders, groups and calls.

extension PredicateParser {
    mutating func atom() throws(FetchPredicateError) -> Node {
        let current = token
        let column = current.column
        switch current.kind {
        case .string(let text): return try constant(.string(text))
        case .integer(let number): return try constant(.integer(number))
        case .double(let number): return try constant(.double(number))
        case .largeInteger(let digits):
            guard let decimal = ExactDecimal(digits) else {
                throw error(.invalidNumber, "Can't hold a number of more than 38 digits.")
            }
            return try constant(.decimal(decimal))
        case .variable(let name):
            advance()
            return try node(.variable(name), at: column)
        case .at(let name):
            advance()
            return try node(.path(nil, [.collectionOperator(name)]), at: column)
        case .placeholder(let letter):
            advance()
            return try placeholder(letter, at: column)
        case .word: return try word()
        case .sign("("): return try group()
        case .sign("{"):
            advance()
            let (elements, heights) = try expressions(until: "}")
            let list = FetchExpression.aggregate(elements)
            return try node(list.form, at: column, above: heights)
        case .sign, .end: throw expressionExpected()
        }
    }

    private mutating func constant(_ value: PropertyValue) throws(FetchPredicateError) -> Node {
        let column = token.column
        advance()
        return try node(.constant(.value(value)), at: column)
    }

    private mutating func placeholder(
        _ letter: Character, at column: Int
    ) throws(FetchPredicateError) -> Node {
        try node(arguments.form(for: letter, at: column), at: column)
    }

    private mutating func group() throws(FetchPredicateError) -> Node {
        advance()
        try enter()
        defer { leave() }
        let inner = try disjunction()
        guard accept(")") else {
            throw error(
                .syntax, "Can't find the closing parenthesis; there is \(quoted(token)) instead.")
        }
        return inner
    }

    private mutating func expressions(
        until end: String
    ) throws(FetchPredicateError) -> ([FetchExpression], [Int]) {
        try enter()
        defer { leave() }
        var elements: [FetchExpression] = []
        var heights: [Int] = []
        if accept(end) { return ([], []) }
        repeat {
            let element = try operation()
            elements.append(try expression(in: element))
            heights.append(element.height)
        } while accept(",")
        try expect(end, "after a list")
        return (elements, heights)
    }
}

// MARK: Words

extension PredicateParser {
    private mutating func word() throws(FetchPredicateError) -> Node {
        let column = token.column
        guard case .word(let name, let isQuoted) = token.kind else { throw expressionExpected() }
        if !isQuoted {
            if let form = Self.literals[name.uppercased()] {
                advance()
                return try node(form, at: column)
            }
            if ReservedWord.strict.contains(name.uppercased()) { throw expressionExpected() }
            if following.isSign("(") || following.isSign(":") { return try call() }
        }
        advance()
        if accept(":=") {
            try enter()
            defer { leave() }
            let value = try operation()
            return try node(
                .assignment(name, try expression(in: value)), at: column, above: [value.height])
        }
        return try node(.path(nil, [.key(name)]), at: column)
    }

    private static let literals: [String: FetchExpression.Form] = [
        "SELF": .evaluatedObject, "NULL": .constant(.value(.null)), "NIL": .constant(.value(.null)),
        "TRUE": .constant(.value(.integer(1))), "YES": .constant(.value(.integer(1))),
        "FALSE": .constant(.value(.integer(0))), "NO": .constant(.value(.integer(0))),
    ]

    private mutating func call() throws(FetchPredicateError) -> Node {
        let column = token.column
        guard case .word(var name, _) = token.kind else { throw expressionExpected() }
        let keyword = name.uppercased()
        advance()
        if token.isSign("("), let special = SpecialForm(rawValue: keyword) {
            advance()
            return try self.special(special, at: column)
        }
        while accept(":") {
            guard case .word(let part, _) = token.kind else { break }
            name += ":" + part
            advance()
        }
        guard PredicateFunction.argumentCounts[name] != nil else {
            throw error(
                .unknownFunction, at: column,
                "Can't call '\(name)' because no function is so called.")
        }
        try expect("(", "after the name of a function")
        let (values, heights) = try expressions(until: ")")
        return try node(.function(name, values), at: column, above: heights)
    }

    private enum SpecialForm: String {
        case message = "FUNCTION"
        case subquery = "SUBQUERY"
        case cast = "CAST"
        case ternary = "TERNARY"
        case fetch = "FETCH"
    }

    private mutating func special(
        _ form: SpecialForm, at column: Int
    ) throws(FetchPredicateError) -> Node {
        try enter()
        defer { leave() }
        switch form {
        case .subquery: return try subquery(at: column)
        case .ternary: return try ternary(at: column)
        case .message, .cast, .fetch: break
        }
        let (values, heights) = try expressions(until: ")")
        switch (form, values.count) {
        case (.message, 2...):
            let selector = try text(values[1])
            return try node(
                .message(values[0], selector: selector, Array(values.dropFirst(2))), at: column,
                above: heights)
        case (.cast, 2):
            let cast = ConstantFolding.cast(values[0], to: try text(values[1]))
            return try node(cast, at: column, above: heights)
        case (.fetch, 3):
            return try node(.fetch(values[0], values[1], values[2]), at: column, above: heights)
        default:
            throw error(
                .syntax, at: column,
                "Can't read \(form.rawValue) because it has \(values.count) arguments.")
        }
    }

    private func text(_ expression: FetchExpression) throws(FetchPredicateError) -> String {
        if arguments.isTemplate, case .variable = expression.form {
            throw arguments.isNeeded(at: expression.column.number)
        }
        guard case .constant(.value(.string(let text))) = expression.form else {
            throw FetchPredicateError(
                .syntax, column: expression.column.number,
                "Can't read the second argument because it has to be a string.")
        }
        return text
    }

    private mutating func subquery(at column: Int) throws(FetchPredicateError) -> Node {
        let collection = try operation()
        try expect(",", "after the collection of SUBQUERY")
        guard case .variable(let variable) = token.kind else {
            throw error(
                .syntax,
                "Can't read \(quoted(token)) as the variable of SUBQUERY: write '$' before "
                    + "its name.")
        }
        advance()
        try expect(",", "after the variable of SUBQUERY")
        let filter = try disjunction()
        let condition = try predicate(in: filter)
        try expect(")", "after SUBQUERY's predicate")
        return try node(
            .subquery(try expression(in: collection), variable: variable, condition), at: column,
            above: [collection.height, filter.height + 1])
    }

    private mutating func ternary(at column: Int) throws(FetchPredicateError) -> Node {
        let test = try disjunction()
        let condition = try predicate(in: test)
        try expect(",", "after the condition of TERNARY")
        let first = try operation()
        try expect(",", "between the values of TERNARY")
        let second = try operation()
        try expect(")", "after TERNARY")
        return try node(
            .ternary(condition, try expression(in: first), try expression(in: second)),
            at: column, above: [test.height + 1, first.height, second.height])
    }
}
