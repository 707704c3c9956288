import AnabranchReplication

/// Parses a format by recursive descent, without backtracking.
///
/// A parenthesis may open a condition or an expression. One function parses both, and `Node` tells
/// which it was. The limits below bound the stack and the height of the tree for any input, so code
/// that walks the tree cannot overflow the stack.
struct PredicateParser {
    /// The greatest nesting of parentheses, prefixes, calls and lists.
    static let greatestNesting = 64
    /// The greatest height of the tree; each operator of a chain of `+` adds one.
    static let greatestHeight = 256

    enum Content {
        case expression(FetchExpression.Form)
        case predicate(FetchPredicate)
    }

    struct Node {
        let content: Content
        let column: Int
        let height: Int
    }

    private let tokens: [PredicateToken]
    private var position = 0
    private var nesting = 0
    var arguments: PlaceholderArguments

    init(_ format: String, arguments: PlaceholderArguments) throws(FetchPredicateError) {
        var lexer = PredicateLexer(format)
        tokens = try lexer.tokens()
        self.arguments = arguments
    }

    mutating func parse() throws(FetchPredicateError) -> FetchPredicate {
        if token.kind == .end {
            throw error(
                .emptyPredicate,
                "Can't read an empty predicate; TRUEPREDICATE stands for everything.")
        }
        let whole = try disjunction()
        let predicate = try predicate(in: whole)
        guard token.kind == .end else { throw unexpected() }
        try arguments.checkAllUsed()
        return predicate
    }

    /// Parses a format that is one expression.
    mutating func parseExpression() throws(FetchPredicateError) -> FetchExpression {
        let whole = try operation()
        let expression = try expression(in: whole)
        guard token.kind == .end else {
            throw error(
                .syntax,
                "Can't continue with \(quoted(token)) because the expression before it is complete."
            )
        }
        try arguments.checkAllUsed()
        return expression
    }
}

// MARK: Tokens and errors

extension PredicateParser {
    var token: PredicateToken { tokens[position] }
    var following: PredicateToken { tokens[min(position + 1, tokens.count - 1)] }
    private var previous: PredicateToken? { position > 0 ? tokens[position - 1] : nil }

    mutating func advance() { if position < tokens.count - 1 { position += 1 } }

    mutating func accept(_ sign: String) -> Bool {
        guard token.isSign(sign) else { return false }
        advance()
        return true
    }

    mutating func accept(keyword: String) -> Bool {
        guard token.keyword == keyword else { return false }
        advance()
        return true
    }

    mutating func expect(_ sign: String, _ purpose: String) throws(FetchPredicateError) {
        guard accept(sign) else {
            throw error(
                .syntax, "Can't find '\(sign)' \(purpose); there is \(quoted(token)) instead.")
        }
    }

    func error(
        _ code: FetchPredicateError.Code, at column: Int? = nil, _ message: String
    ) -> FetchPredicateError {
        FetchPredicateError(code, column: column ?? token.column, message)
    }

    func quoted(_ token: PredicateToken) -> String {
        token.kind == .end ? "the end" : "'\(token.text)'"
    }

    private func unexpected() -> FetchPredicateError {
        if token.isSign(")") {
            return error(.syntax, "Can't close a parenthesis here because none is open.")
        }
        return error(
            .syntax,
            "Can't continue with \(quoted(token)) because the comparison before it is complete; "
                + "join comparisons with AND or OR.")
    }

    func expressionExpected() -> FetchPredicateError {
        if token.isSign(".") {
            return error(.syntax, "Can't begin a key path with '.': a key path begins with a key.")
        }
        let place = previous.map { " after '\($0.text)'" } ?? ""
        return error(
            .syntax, "Can't find an expression\(place): there is \(quoted(token)) instead.")
    }

    mutating func enter() throws(FetchPredicateError) {
        guard nesting < Self.greatestNesting else {
            throw error(
                .tooComplex,
                "Can't nest a predicate deeper than \(Self.greatestNesting) levels: split it.")
        }
        nesting += 1
    }

    mutating func leave() { nesting -= 1 }

    func node(
        _ form: FetchExpression.Form, at column: Int, above heights: [Int] = []
    ) throws(FetchPredicateError) -> Node {
        Node(content: .expression(form), column: column, height: try height(above: heights))
    }

    private func node(
        _ predicate: FetchPredicate, at column: Int, above heights: [Int]
    ) throws(FetchPredicateError) -> Node {
        Node(content: .predicate(predicate), column: column, height: try height(above: heights))
    }

    private func height(above heights: [Int]) throws(FetchPredicateError) -> Int {
        let height = (heights.max() ?? 0) + 1
        guard height <= Self.greatestHeight else {
            throw error(
                .tooComplex,
                "Can't hold a predicate of more than \(Self.greatestHeight) levels: split it.")
        }
        return height
    }
}

// MARK: Conditions

extension PredicateParser {
    mutating func disjunction() throws(FetchPredicateError) -> Node {
        try list(keyword: "OR", sign: "||") { .disjunction($0) }
    }

    private mutating func list(
        keyword: String, sign: String, _ join: ([FetchPredicate]) -> FetchPredicate
    ) throws(FetchPredicateError) -> Node {
        let isOr = keyword == "OR"
        let first =
            isOr ? try list(keyword: "AND", sign: "&&") { .conjunction($0) } : try negation()
        guard token.keyword == keyword || token.isSign(sign) else { return first }
        var parts = [try predicate(in: first)]
        var heights = [first.height]
        while accept(keyword: keyword) || accept(sign) {
            let next =
                isOr ? try list(keyword: "AND", sign: "&&") { .conjunction($0) } : try negation()
            parts.append(try predicate(in: next))
            heights.append(next.height)
        }
        return try node(join(parts), at: first.column, above: heights)
    }

    private mutating func negation() throws(FetchPredicateError) -> Node {
        guard token.keyword == "NOT" || token.isSign("!") else { return try comparison() }
        let column = token.column
        advance()
        try enter()
        defer { leave() }
        let inner = try negation()
        return try node(.negation(try predicate(in: inner)), at: column, above: [inner.height])
    }

    private mutating func comparison() throws(FetchPredicateError) -> Node {
        let column = token.column
        if accept(keyword: "TRUEPREDICATE") { return try node(.true, at: column, above: []) }
        if accept(keyword: "FALSEPREDICATE") { return try node(.false, at: column, above: []) }
        let quantifier = quantifier()
        let left = try operation()
        guard case .expression = left.content else {
            if quantifier != nil { _ = try expression(in: left) }
            if relation(at: token) != nil { _ = try expression(in: left) }
            return left
        }
        let place = token.column
        let isNegated = token.keyword == "NOT" && following.keyword == "IN"
        if isNegated { advance() }
        guard let relation = relation(at: token) else {
            if quantifier == nil { return left }
            throw error(.syntax, "Can't find a comparison operator; there is \(quoted(token)).")
        }
        advance()
        let options = try options()
        let right = try operation()
        let comparison = FetchPredicate.comparison(
            PredicateComparison(
                try expression(in: left), relation, try expression(in: right), options: options,
                quantifier: quantifier, column: SourceColumn(place)))
        return try node(
            isNegated ? .negation(comparison) : comparison, at: column,
            above: [left.height + 1, right.height + 1])
    }

    private mutating func quantifier() -> PredicateQuantifier? {
        let quantifier: PredicateQuantifier
        switch token.keyword {
        case "ANY", "SOME": quantifier = .any
        case "ALL": quantifier = .all
        case "NONE": quantifier = .none
        default: return nil
        }
        advance()
        return quantifier
    }

    private static let signs: [String: PredicateOperator] = [
        "=": .equal, "==": .equal, "!=": .notEqual, "<>": .notEqual, "<": .less,
        "<=": .lessOrEqual, "=<": .lessOrEqual, ">": .greater, ">=": .greaterOrEqual,
        "=>": .greaterOrEqual,
    ]

    private static let keywords: [String: PredicateOperator] = [
        "BETWEEN": .between, "IN": .isIn, "CONTAINS": .contains, "BEGINSWITH": .beginsWith,
        "ENDSWITH": .endsWith, "LIKE": .like, "MATCHES": .matches,
        "UTI-CONFORMS-TO": .conformsToType, "UTI-EQUALS": .equalsType,
    ]

    func relation(at token: PredicateToken) -> PredicateOperator? {
        if case .sign(let sign) = token.kind { return Self.signs[sign] }
        return token.keyword.flatMap { Self.keywords[$0] }
    }

    private mutating func options() throws(FetchPredicateError) -> ComparisonOptions {
        guard accept("[") else { return [] }
        var options: ComparisonOptions = []
        while case .word(let word, isQuoted: false) = token.kind {
            for letter in word.lowercased() {
                guard let option = ComparisonOptions.letters.first(where: { $0.0 == letter }) else {
                    throw error(
                        .unknownOption,
                        "Can't compare with the option '\(letter)'; known are c, d, n, l and s.")
                }
                options.insert(option.1)
            }
            advance()
        }
        try expect("]", "after the options of an operator")
        return options
    }
}

// MARK: Telling conditions from expressions

extension PredicateParser {
    func predicate(in node: Node) throws(FetchPredicateError) -> FetchPredicate {
        switch node.content {
        case .predicate(let predicate): return predicate
        case .expression:
            if tokens.count == 2, token.kind == .end, case .placeholder("@") = tokens[0].kind {
                throw error(
                    .syntax, at: node.column,
                    "Can't take an argument as the whole predicate; join predicates with and(_:).")
            }
            throw error(
                .syntax,
                "Can't find a comparison operator after the expression; there is "
                    + "\(quoted(token)).")
        }
    }

    func expression(in node: Node) throws(FetchPredicateError) -> FetchExpression {
        guard case .expression(let form) = node.content else {
            throw error(
                .syntax, at: node.column,
                "Can't use a condition as a value; TERNARY(condition, 1, 0) makes it one.")
        }
        return FetchExpression(form, column: SourceColumn(node.column))
    }
}
