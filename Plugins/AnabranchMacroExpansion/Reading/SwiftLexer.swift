/// Splits Swift source into tokens.
///
/// It recognizes everything that can hide a brace or a word: nested comments, strings of every form
/// (escaped, raw, of several lines, with code in interpolations), regular expressions, and names in
/// backticks. Source that does not compile gives some tokens and never traps.
package struct SwiftLexer {
    private let bytes: [UInt8]
    /// The line of every byte, and of the end, from 1.
    private let lines: [Int]
    private var position = 0
    /// The number of open interpolations.
    private var depth = 0
    /// The line on which the latest token ends. A comment does not count as a token here.
    private var lastLine = 0
    private var tokens: [SwiftToken] = []

    /// All tokens: comments too, and after a string the code of its interpolations.
    package static func tokens(of source: String) -> [SwiftToken] {
        var lexer = SwiftLexer(bytes: Array(source.utf8))
        lexer.skipInterpreterLine()
        lexer.readCode()
        return lexer.tokens
    }

    /// The tokens for a parser: no comments, and one token for a string with interpolations.
    static func code(of source: String) -> [SwiftToken] {
        tokens(of: source).filter { $0.kind != .comment && !$0.isInterpolated }
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
        var lines = [Int](repeating: 1, count: bytes.count + 1)
        var (line, place) = (1, 0)
        // A `while` loop, because a debug build iterates over a range by generic code.
        while place < bytes.count {
            let byte = bytes[place]
            place += 1
            if byte == UInt8(ascii: "\n") {
                line += 1
            } else if byte.isLineEnd {
                let isPair = place < bytes.count && bytes[place] == UInt8(ascii: "\n")
                if !isPair { line += 1 }
            }
            lines[place] = line
        }
        self.lines = lines
    }

    private func byte(_ ahead: Int = 0) -> UInt8? {
        position + ahead < bytes.count ? bytes[position + ahead] : nil
    }

    private func isAt(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { bytes[min(position, bytes.count)...].starts(with: $0) }
    }

    private mutating func skipInterpreterLine() {
        if isAt("#!") { skipLine() }
    }

    private mutating func skipLine() {
        while let next = byte(), !next.isLineEnd { position += 1 }
    }

    /// Reads to the end, or to the parenthesis that ends an interpolation, which is read too.
    private mutating func readCode() {
        var parentheses = 0
        while let next = byte() {
            switch next {
            case _ where next.isLineEnd: position += 1
            case UInt8(ascii: " "), UInt8(ascii: "\t"), 0x0B, 0x0C, 0: position += 1
            case UInt8(ascii: "\""): readString(pounds: 0)
            case UInt8(ascii: "#"): readAfterPound()
            case UInt8(ascii: "`"): readQuotedWord()
            case UInt8(ascii: "/"): readSlash()
            case _ where next.isDigit: readNumber()
            case _ where next.isInWord: readWord(as: .word, from: position)
            default:
                readMark()
                if next == UInt8(ascii: "(") { parentheses += 1 }
                if next == UInt8(ascii: ")") { parentheses -= 1 }
                if depth > 0, parentheses == 0 { return }
            }
        }
    }

    /// Adds the token from `start` to the present position.
    ///
    /// - Parameters:
    ///   - text: The range of its text, if it is not the whole token.
    ///   - index: The position in `tokens`, if it is not the end.
    private mutating func add(
        _ kind: SwiftToken.Kind, from start: Int, text: Range<Int>? = nil, at index: Int? = nil
    ) {
        let token = SwiftToken(
            kind: kind, text: String(decoding: bytes[text ?? start..<position], as: UTF8.self),
            line: lines[start], lastLine: lines[position], offset: start, end: position,
            startsLine: lines[start] > lastLine, isInterpolated: depth > 0)
        tokens.insert(token, at: index ?? tokens.count)
        if kind != .comment { lastLine = token.lastLine }
    }

    private mutating func readMark() {
        let start = position
        position += isAt("->") ? 2 : 1
        add(.mark, from: start)
    }

    private mutating func readWord(as kind: SwiftToken.Kind, from start: Int) {
        while let next = byte(), next.isInWord { position += 1 }
        add(kind, from: start)
    }

    private mutating func readQuotedWord() {
        let start = position
        position += 1
        while let next = byte(), next != UInt8(ascii: "`"), !next.isLineEnd { position += 1 }
        let text = start + 1..<position
        if byte() == UInt8(ascii: "`") { position += 1 }
        add(.quotedWord, from: start, text: text)
    }

    private mutating func readNumber() {
        let start = position
        while let next = byte() {
            let isPoint = next == UInt8(ascii: ".") && byte(1)?.isDigit == true
            guard next.isInWord || isPoint else { break }
            position += 1
        }
        add(.number, from: start)
    }
}

// MARK: - Comments and regular expressions

extension SwiftLexer {
    private mutating func readSlash() {
        let start = position
        if isAt("//") {
            skipLine()
            add(.comment, from: start)
        } else if isAt("/*") {
            skipBlockComment()
            add(.comment, from: start)
        } else if let end = endOfRegex() {
            position = end
            add(.regex, from: start)
        } else {
            readMark()
        }
    }

    private mutating func skipBlockComment() {
        var nesting = 0
        while position < bytes.count {
            if isAt("/*") {
                nesting += 1
                position += 2
            } else if isAt("*/") {
                nesting -= 1
                position += 2
                if nesting == 0 { return }
            } else {
                position += 1
            }
        }
    }

    /// The offset after a regular expression `/…/` that begins here; nil if the slash is an
    /// operator.
    ///
    /// The rules are the compiler's: no operand precedes it, no space follows the slash, and the
    /// end is on the same line.
    private func endOfRegex() -> Int? {
        if let last = tokens.last(where: { $0.kind != .comment }) {
            switch last.kind {
            case .mark: if [")", "]", "}", ".", "/", "?", "!"].contains(last.text) { return nil }
            case .word: if !Self.wordsBeforeExpressions.contains(last.text) { return nil }
            default: return nil
            }
        }
        guard let next = byte(1), next != UInt8(ascii: " "), next != UInt8(ascii: ")") else {
            return nil
        }
        var place = position + 1
        while place < bytes.count, !bytes[place].isLineEnd {
            if bytes[place] == UInt8(ascii: "/") { return place + 1 }
            place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        return nil
    }

    private static let wordsBeforeExpressions: Set<String> = [
        "return", "in", "case", "try", "await", "if", "guard", "while", "where", "throw", "else",
    ]

    private mutating func readExtendedRegex(pounds: Int) {
        let start = position
        position += pounds + 1
        while let next = byte() {
            if next == UInt8(ascii: "/"), hasPounds(pounds, ahead: 1) {
                position += pounds + 1
                break
            }
            position += 1
        }
        add(.regex, from: start)
    }
}

// MARK: - Strings

extension SwiftLexer {
    private mutating func readAfterPound() {
        var pounds = 0
        while byte(pounds) == UInt8(ascii: "#") { pounds += 1 }
        switch byte(pounds) {
        case UInt8(ascii: "\""): readString(pounds: pounds)
        case UInt8(ascii: "/"): readExtendedRegex(pounds: pounds)
        case .some(let next) where next.isInWord && pounds == 1:
            position += 1
            readWord(as: .directive, from: position - 1)
        default: readMark()
        }
    }

    private func hasPounds(_ count: Int, ahead: Int) -> Bool {
        (0..<count).allSatisfy { byte(ahead + $0) == UInt8(ascii: "#") }
    }

    /// Returns true if three quotes begin at `ahead` and only white space follows on the line.
    private func beginsLines(ahead: Int) -> Bool {
        guard (0..<3).allSatisfy({ byte(ahead + $0) == UInt8(ascii: "\"") }) else { return false }
        var place = ahead + 3
        while let next = byte(place), next == UInt8(ascii: " ") || next == UInt8(ascii: "\t") {
            place += 1
        }
        return byte(place)?.isLineEnd ?? false
    }

    private mutating func readString(pounds: Int) {
        let quotes = beginsLines(ahead: pounds) ? 3 : 1
        let (start, index, lineBefore) = (position, tokens.count, lastLine)
        position += pounds + quotes
        while let next = byte() {
            if next == UInt8(ascii: "\\"), hasPounds(pounds, ahead: 1) {
                position += 1 + pounds
                if byte() == UInt8(ascii: "(") {
                    depth += 1
                    readCode()
                    depth -= 1
                } else if let escaped = byte(), !escaped.isLineEnd {
                    position += 1
                }
            } else if isEndOfString(quotes: quotes, pounds: pounds) {
                position += quotes + pounds
                break
            } else if next.isLineEnd, quotes == 1 {
                break
            } else {
                position += 1
            }
        }
        lastLine = lineBefore
        add(.string, from: start, at: index)
    }

    private func isEndOfString(quotes: Int, pounds: Int) -> Bool {
        (0..<quotes).allSatisfy { byte($0) == UInt8(ascii: "\"") }
            && hasPounds(pounds, ahead: quotes)
    }
}

extension UInt8 {
    fileprivate var isLineEnd: Bool { self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r") }

    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    /// True for letters, digits, `_`, `$` and every byte of a character outside ASCII.
    fileprivate var isInWord: Bool {
        isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self)
            || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self)
            || self == UInt8(ascii: "_") || self == UInt8(ascii: "$") || self >= 0x80
    }
}
