import AnabranchReplication

// Parses operators, prefixes and key paths.

extension PredicateParser {
    /// Parses infix operators by precedence climbing; all of them group from the left.
    mutating func operation(above precedence: Int = 0) throws(FetchPredicateError) -> Node {
        var left = try prefixed()
        while let found = arithmetic(at: token), found.precedence > precedence {
            try checkWildcard()
            advance()
            let right = try operation(above: found.precedence)
            left = try node(
                .arithmetic(found, try expression(in: left), try expression(in: right)),
                at: left.column, above: [left.height, right.height])
        }
        return left
    }

    private func arithmetic(at token: PredicateToken) -> ArithmeticOperator? {
        switch token.kind {
        case .sign(let sign): ArithmeticOperator(rawValue: sign)
        case .word: token.keyword.flatMap { ArithmeticOperator(rawValue: $0) }
        default: nil
        }
    }

    /// Rejects a trailing `*`, as in `name LIKE %@*`.
    ///
    /// It is meant as a wildcard, but the grammar reads it as a product without a right side.
    private func checkWildcard() throws(FetchPredicateError) {
        guard token.isSign("*") else { return }
        let next = following
        let ends =
            next.kind == .end || next.isSign(")") || next.isSign("&&") || next.isSign("||")
            || next.keyword == "AND" || next.keyword == "OR"
        guard ends else { return }
        throw error(
            .syntax,
            "Can't read '*' after a value because outside of quotation marks it multiplies; build "
                + "the pattern in the argument.")
    }

    private mutating func prefixed() throws(FetchPredicateError) -> Node {
        let column = token.column
        let isNegative = token.isSign("-")
        guard isNegative || token.isSign("~") else { return try path() }
        advance()
        try enter()
        defer { leave() }
        let operand = try prefixed()
        let inner = try expression(in: operand)
        let form = isNegative ? ConstantFolding.negative(inner) : .complement(inner)
        if case .constant = form { return try node(form, at: column) }
        return try node(form, at: column, above: [operand.height])
    }

    private mutating func path() throws(FetchPredicateError) -> Node {
        let root = try atom()
        var steps: [PathStep] = []
        var heights = [root.height]
        while true {
            if accept(".") {
                steps.append(contentsOf: try stepsBehindPoint())
            } else if token.isSign("["), case .expression = root.content {
                advance()
                let (step, height) = try bracketedStep()
                steps.append(step)
                heights.append(height)
            } else {
                break
            }
        }
        return steps.isEmpty ? root : try append(steps, to: root, above: heights)
    }

    private func append(
        _ steps: [PathStep], to root: Node, above heights: [Int]
    ) throws(FetchPredicateError) -> Node {
        let expression = try expression(in: root)
        switch expression.form {
        case .evaluatedObject: return try node(.path(nil, steps), at: root.column, above: heights)
        case .path(let origin, let own):
            return try node(.path(origin, own + steps), at: root.column, above: heights)
        default: return try node(.path(expression, steps), at: root.column, above: heights)
        }
    }

    private mutating func stepsBehindPoint() throws(FetchPredicateError) -> [PathStep] {
        let current = token
        switch current.kind {
        case .word(let word, _):
            advance()
            return [.key(word)]
        case .at(let name):
            advance()
            return [.collectionOperator(name)]
        case .placeholder("K"):
            advance()
            return try arguments.nextKeys(at: current.column)
        default:
            throw error(.syntax, "Can't find a key after '.': there is \(quoted(current)).")
        }
    }

    private mutating func bracketedStep() throws(FetchPredicateError) -> (PathStep, Int) {
        let named: [String: PathStep] = ["FIRST": .first, "LAST": .last, "SIZE": .size]
        if let keyword = token.keyword, let step = named[keyword], following.isSign("]") {
            advance()
            advance()
            return (step, 1)
        }
        try enter()
        defer { leave() }
        let index = try operation()
        let expression = try expression(in: index)
        try expect("]", "after an index")
        return (.index(expression), index.height)
    }
}
