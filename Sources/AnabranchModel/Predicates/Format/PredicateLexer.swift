/// Splits a format into tokens.
struct PredicateLexer {
    let scalars: [Unicode.Scalar]
    var position = 0

    init(_ format: String) { scalars = Array(format.unicodeScalars) }

    private static let longSigns: Set<String> = [
        "&&", "||", "==", "=<", "=>", "!=", "<>", "<=", ">=", "<<", ">>", "**", ":=",
    ]
    private static let shortSigns = Set("=<>!&|^~+-*/(){}[],.:".unicodeScalars)

    mutating func tokens() throws(FetchPredicateError) -> [PredicateToken] {
        var tokens: [PredicateToken] = []
        while true {
            skipSpace()
            let column = position + 1
            let kind = try next()
            tokens.append(PredicateToken(kind: kind, column: column))
            if kind == .end { return tokens }
        }
    }

    func peek(_ distance: Int = 0) -> Unicode.Scalar? {
        let place = position + distance
        return place < scalars.count ? scalars[place] : nil
    }

    func error(
        _ code: FetchPredicateError.Code, at place: Int? = nil, _ message: String
    ) -> FetchPredicateError {
        FetchPredicateError(code, column: (place ?? position) + 1, message)
    }

    private mutating func skipSpace() {
        while let scalar = peek(), Self.isSpace(scalar) { position += 1 }
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        // The properties of a scalar are found by a search.
        scalar.isASCII
            ? scalar == " " || ("\t"..."\r").contains(scalar) : scalar.properties.isWhitespace
    }

    private mutating func next() throws(FetchPredicateError) -> PredicateToken.Kind {
        guard let scalar = peek() else { return .end }
        switch scalar {
        case "'", "\"": return .string(try string(closedBy: scalar))
        case "0"..."9": return try number()
        case "%": return try placeholder()
        case "$": return .variable(try prefixedName("a variable"))
        case "@": return .at(try prefixedName("a collection operator"))
        case "#": return .word(try prefixedName("a key"), isQuoted: true)
        default: break
        }
        if isNameStart(scalar) { return try word() }
        return .sign(try sign())
    }

    private mutating func sign() throws(FetchPredicateError) -> String {
        if let second = peek(1), second.isASCII, Self.shortSigns.contains(second) {
            let pair = String(String.UnicodeScalarView([scalars[position], second]))
            if Self.longSigns.contains(pair) {
                position += 2
                return pair
            }
        }
        let scalar = scalars[position]
        guard Self.shortSigns.contains(scalar) else {
            throw error(
                .syntax, "Can't read '\(scalar)' because it is no part of the predicate language.")
        }
        position += 1
        return String(scalar)
    }

    private mutating func prefixedName(_ what: String) throws(FetchPredicateError) -> String {
        let prefix = scalars[position]
        position += 1
        guard let scalar = peek(), isNameStart(scalar) else {
            throw error(.syntax, "Can't read \(what) because no name follows '\(prefix)'.")
        }
        return try name()
    }

    private mutating func word() throws(FetchPredicateError) -> PredicateToken.Kind {
        let first = scalars[position]
        for keyword in ["UTI-CONFORMS-TO", "UTI-EQUALS"] where first == "U" || first == "u" {
            let end = position + keyword.unicodeScalars.count
            guard end <= scalars.count, end == scalars.count || !isNamePart(scalars[end]) else {
                continue
            }
            let text = String(String.UnicodeScalarView(scalars[position..<end]))
            if text.uppercased() == keyword {
                position = end
                return .word(keyword, isQuoted: false)
            }
        }
        return .word(try name(), isQuoted: false)
    }
}

// MARK: Placeholders

extension PredicateLexer {
    private mutating func placeholder() throws(FetchPredicateError) -> PredicateToken.Kind {
        let start = position
        position += 1
        if let scalar = peek(), scalar == "@" || scalar == "K" {
            position += 1
            return .placeholder(Character(scalar))
        }
        while let scalar = peek(), "-+ #0123456789.".unicodeScalars.contains(scalar) {
            position += 1
        }
        while let scalar = peek(), "hlqLzjt".unicodeScalars.contains(scalar) { position += 1 }
        guard let scalar = peek(), "diuxXocCfFeEgGaA".unicodeScalars.contains(scalar) else {
            throw error(
                .syntax, at: start,
                "Can't read the placeholder because only %@, %K and the numeric ones of printf "
                    + "are known.")
        }
        position += 1
        return .placeholder(Character(scalar))
    }
}
