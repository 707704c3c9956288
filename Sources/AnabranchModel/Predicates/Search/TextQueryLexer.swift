/// A part of a query for words.
enum TextQueryToken: Equatable {
    /// A word or a phrase, without the signs around it.
    case term(TextQueryTerm)
    case and
    case or
    case not
    /// `NEAR(`.
    case near
    case open
    case close
}

/// A word or a phrase.
struct TextQueryTerm: Equatable {
    var text: String
    var isPrefix = false
    var isInitial = false

    init(text: String, isPrefix: Bool = false) {
        self.text = text
        self.isPrefix = isPrefix
    }

    /// Reads a word with the signs before and behind it.
    init(word: String) {
        text = word
        if text.count > 1, text.first == "^" {
            text.removeFirst()
            isInitial = true
        }
        if text.count > 1, text.last == "*" {
            text.removeLast()
            isPrefix = true
        }
    }

    /// True if FTS5 finds a word in the text: a letter, a digit, or a character for private use.
    var hasWord: Bool {
        text.unicodeScalars.contains { scalar in
            switch scalar.properties.generalCategory {
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter,
                .otherLetter, .decimalNumber, .letterNumber, .otherNumber, .privateUse:
                true
            default: false
            }
        }
    }

    /// The term for FTS5.
    var expression: String {
        let quoted = text.replacing("\"", with: "\"\"")
        return (isInitial ? "^ " : "") + "\"\(quoted)\"" + (isPrefix ? " *" : "")
    }
}

/// Splits a query for words into its parts.
struct TextQueryLexer {
    private let scalars: [Unicode.Scalar]
    private var place = 0

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    /// - Returns: `nil` at the end.
    mutating func next() throws(FetchPredicateError) -> TextQueryToken? {
        while let scalar = peek, Self.isSpace(scalar) { place += 1 }
        guard let scalar = peek else { return nil }
        switch scalar {
        case "(", ")":
            place += 1
            return scalar == "(" ? .open : .close
        case "\"": return .term(try phrase())
        default: return word()
        }
    }

    private var peek: Unicode.Scalar? { place < scalars.count ? scalars[place] : nil }

    private mutating func phrase() throws(FetchPredicateError) -> TextQueryTerm {
        let start = place
        place += 1
        var text = String.UnicodeScalarView()
        while let scalar = peek {
            place += 1
            if scalar != "\"" {
                // FTS5 reads a query up to a NUL, and to its words a NUL is a space.
                text.append(scalar == "\0" ? " " : scalar)
            } else if peek == "\"" {
                place += 1
                text.append("\"")
            } else {
                return TextQueryTerm(text: String(text), isPrefix: acceptStar())
            }
        }
        throw FetchPredicateError(
            .invalidQuery,
            "Can't search because the quotation mark at character \(start + 1) of the query has no "
                + "other end.")
    }

    private mutating func acceptStar() -> Bool {
        guard peek == "*" else { return false }
        place += 1
        return true
    }

    private mutating func word() -> TextQueryToken {
        let start = place
        while let scalar = peek, !Self.isSpace(scalar), !["(", ")", "\""].contains(scalar) {
            place += 1
        }
        let text = String(String.UnicodeScalarView(scalars[start..<place]))
        switch text {
        case "AND": return .and
        case "OR": return .or
        case "NOT": return .not
        case "NEAR" where peek == "(":
            place += 1
            return .near
        default: return .term(TextQueryTerm(word: text))
        }
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\0" || scalar.properties.isWhitespace
    }
}
