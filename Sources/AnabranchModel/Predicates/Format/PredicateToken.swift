/// One word, sign, literal or placeholder of a format.
struct PredicateToken {
    enum Kind: Equatable {
        /// A word. `isQuoted` is true after `#`, and the word is then not a keyword.
        case word(String, isQuoted: Bool)
        case string(String)
        case integer(Int64)
        /// The digits of an integer literal beyond Int64.
        case largeInteger(String)
        case double(Double)
        /// `$name`.
        case variable(String)
        /// `@name`.
        case at(String)
        /// `%@`, `%K`, or a numeric placeholder by its conversion letter.
        case placeholder(Character)
        case sign(String)
        case end
    }

    let kind: Kind
    /// The column at which the token begins, counted from 1 in Unicode scalars.
    let column: Int
    /// The word in upper case, to be compared with keywords; `nil` for a quoted word and for any
    /// other token.
    let keyword: String?

    init(kind: Kind, column: Int) {
        self.kind = kind
        self.column = column
        if case .word(let word, isQuoted: false) = kind {
            keyword = word.uppercased()
        } else {
            keyword = nil
        }
    }

    func isSign(_ text: String) -> Bool {
        if case .sign(let sign) = kind { sign == text } else { false }
    }

    /// The token as messages show it.
    var text: String {
        switch kind {
        case .word(let word, let isQuoted): isQuoted ? "#" + word : word
        case .string(let text): "'\(text.prefix(20))'"
        case .integer(let number): String(number)
        case .largeInteger(let digits): digits
        case .double(let number): String(number)
        case .variable(let name): "$" + name
        case .at(let name): "@" + name
        case .placeholder(let letter): "%\(letter)"
        case .sign(let sign): sign
        case .end: "the end"
        }
    }
}

/// The words that the grammar reserves; a preceding `#` turns one into a key.
enum ReservedWord {
    /// Words that are keywords in every place.
    static let strict: Set<String> = [
        "AND", "OR", "IN", "NOT", "ALL", "ANY", "SOME", "NONE", "LIKE", "MATCHES", "CONTAINS",
        "BEGINSWITH", "ENDSWITH", "BETWEEN", "NULL", "NIL", "SELF", "TRUE", "YES", "FALSE", "NO",
        "TRUEPREDICATE", "FALSEPREDICATE", "UTI-CONFORMS-TO", "UTI-EQUALS",
    ]
    /// Words that are keywords only before a parenthesis, in brackets or between expressions.
    static let contextual: Set<String> = [
        "CASEINSENSITIVE", "CI", "FIRST", "LAST", "SIZE", "ANYKEY", "SUBQUERY", "FETCH", "CAST",
        "FUNCTION", "TERNARY", "UNION", "INTERSECT", "MINUS",
    ]

    static func contains(_ word: String) -> Bool {
        let word = word.uppercased()
        return strict.contains(word) || contextual.contains(word)
    }
}
