/// Reads a query for words and writes it for FTS5, with parentheses around everything, so that the
/// precedence of FTS5's operators does not matter. What has no word is left out: `nil` stands for
/// it.
struct TextQueryParser {
    private var lexer: TextQueryLexer
    private var token: TextQueryToken?
    private var termCount = 0
    private var depth = 0

    init(_ text: String) { lexer = TextQueryLexer(text) }

    /// - Returns: `nil` for a query without words.
    mutating func parse() throws(FetchPredicateError) -> String? {
        try advance()
        guard token != nil else { return nil }
        let expression = try alternatives()
        guard token == nil else {
            throw invalid("a parenthesis is closed that was not opened")
        }
        return expression
    }

    private mutating func advance() throws(FetchPredicateError) { token = try lexer.next() }

    private mutating func accept(_ expected: TextQueryToken) throws(FetchPredicateError) -> Bool {
        guard token == expected else { return false }
        try advance()
        return true
    }

    private mutating func alternatives() throws(FetchPredicateError) -> String? {
        var parts = [try conjunction()]
        while try accept(.or) { parts.append(try conjunction()) }
        return Self.joined(parts, " OR ")
    }

    private mutating func conjunction() throws(FetchPredicateError) -> String? {
        var parts = [try difference()]
        while token != nil, token != .or, token != .close {
            _ = try accept(.and)
            parts.append(try difference())
        }
        return Self.joined(parts, " AND ")
    }

    private mutating func difference() throws(FetchPredicateError) -> String? {
        let wanted = try primary()
        var excluded: [String?] = []
        while try accept(.not) { excluded.append(try primary()) }
        guard let wanted, let excluded = Self.joined(excluded, " OR ") else { return wanted }
        return "(\(wanted) NOT \(excluded))"
    }

    private static func joined(_ parts: [String?], _ sign: String) -> String? {
        let parts = parts.compactMap { $0 }
        return parts.count > 1 ? "(" + parts.joined(separator: sign) + ")" : parts.first
    }

    private mutating func primary() throws(FetchPredicateError) -> String? {
        switch token {
        case .term(let term):
            try count()
            try advance()
            return term.hasWord ? term.expression : nil
        case .near:
            try advance()
            return try near()
        case .open:
            try advance()
            return try group()
        case .close: throw invalid("there is nothing before a closing parenthesis")
        case .and: throw invalid("AND needs words before and after it")
        case .or: throw invalid("OR needs words before and after it")
        case .not: throw invalid("NOT needs words before it, from which it excludes others")
        case nil: throw invalid("words are missing at its end")
        }
    }

    private mutating func group() throws(FetchPredicateError) -> String? {
        depth += 1
        guard depth <= TextQuery.greatestDepth else {
            throw FetchPredicateError(
                .tooComplex,
                "Can't search because the query has more than \(TextQuery.greatestDepth) "
                    + "parentheses inside each other.")
        }
        let expression = try alternatives()
        guard try accept(.close) else { throw invalid("a parenthesis is not closed") }
        depth -= 1
        return expression
    }

    /// Reads the content of NEAR. The number at its end is behind a comma.
    private mutating func near() throws(FetchPredicateError) -> String? {
        var terms: [TextQueryTerm] = []
        while case .term(let term) = token {
            try count()
            terms.append(term)
            try advance()
        }
        guard try accept(.close) else { throw invalid("NEAR( takes words up to a parenthesis") }
        let distance = try Self.takeDistance(from: &terms)
        guard !terms.isEmpty else { throw invalid("NEAR() has no words") }
        terms.removeAll { !$0.hasWord }
        guard !terms.isEmpty else { return nil }
        for place in terms.indices { terms[place].isInitial = false }
        let words = terms.map(\.expression).joined(separator: " ")
        return "NEAR(\(words), \(distance))"
    }

    private static let usualDistance = 10
    private static let greatestDistance = 1_000_000

    /// Removes `, 5` from the end, whether or not there are spaces around the comma.
    private static func takeDistance(
        from terms: inout [TextQueryTerm]
    ) throws(FetchPredicateError) -> Int {
        guard let last = terms.last else { return usualDistance }
        let comma = last.text.lastIndex(of: ",")
        var digits = last.text[
            (comma.map { last.text.index(after: $0) } ?? last.text.startIndex)...]
        var word = comma.map { String(last.text[..<$0]) } ?? ""
        var count = 1
        if comma == nil, terms.count > 1, terms[terms.count - 2].text.last == "," {
            word = String(terms[terms.count - 2].text.dropLast())
            count = 2
        } else if comma == nil {
            digits = ""
        }
        guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }) else {
            return usualDistance
        }
        guard let distance = Int(digits), distance <= greatestDistance else {
            throw invalid("the distance \(digits) of NEAR is above \(greatestDistance)")
        }
        terms.removeLast(count)
        if !word.isEmpty { terms.append(TextQueryTerm(word: word)) }
        return distance
    }

    private mutating func count() throws(FetchPredicateError) {
        termCount += 1
        guard termCount > TextQuery.greatestTermCount else { return }
        throw FetchPredicateError(
            .tooComplex,
            "Can't search because the query has more than \(TextQuery.greatestTermCount) words and "
                + "phrases.")
    }

    private func invalid(_ cause: String) -> FetchPredicateError { Self.invalid(cause) }

    private static func invalid(_ cause: String) -> FetchPredicateError {
        FetchPredicateError(
            .invalidQuery,
            "Can't search because in the query \(cause); put a text that is to be found as it is "
                + "into quotation marks.")
    }
}
