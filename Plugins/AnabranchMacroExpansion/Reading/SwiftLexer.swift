/// Cuts Swift source into tokens.
///
/// It knows what can hide a brace or a word: nested comments, strings of every form (escaped,
/// raw, of several lines, with code in interpolations), regular expressions and names in
/// backticks. Source that does not compile gives some tokens, never a trap.
struct SwiftLexer {
    private let bytes: [UInt8]
    private var position = 0
    private var startsLine = true
    private var tokens: [SwiftToken] = []

    static func tokens(of source: String) -> [SwiftToken] {
        var lexer = SwiftLexer(bytes: Array(source.utf8))
        lexer.readCode(asInterpolation: false)
        return lexer.tokens
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private func byte(_ ahead: Int = 0) -> UInt8? {
        position + ahead < bytes.count ? bytes[position + ahead] : nil
    }

    private func isAt(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { bytes[min(position, bytes.count)...].starts(with: $0) }
    }

    /// Reads to the end, or to the parenthesis that ends an interpolation (which it reads too).
    private mutating func readCode(asInterpolation: Bool) {
        var depth = 0
        while let next = byte() {
            switch next {
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                startsLine = true
                position += 1
            case UInt8(ascii: " "), UInt8(ascii: "\t"), 0x0B, 0x0C, 0: position += 1
            case UInt8(ascii: "\""): readString(pounds: 0)
            case UInt8(ascii: "#"): readAfterPound()
            case UInt8(ascii: "`"): readQuotedWord()
            case UInt8(ascii: "/"): readSlash()
            case _ where next.isDigit: readNumber()
            case _ where next.isInWord: readWord(as: .word, from: position)
            default:
                readMark()
                if next == UInt8(ascii: "(") { depth += 1 }
                if next == UInt8(ascii: ")") { depth -= 1 }
                if asInterpolation, depth == 0 { return }
            }
        }
    }

    private mutating func add(_ kind: SwiftToken.Kind, _ text: Range<Int>, from start: Int) {
        tokens.append(
            SwiftToken(
                kind: kind, text: String(decoding: bytes[text], as: UTF8.self), offset: start,
                end: position, startsLine: startsLine))
        startsLine = false
    }

    private mutating func readMark() {
        let start = position
        position += isAt("->") ? 2 : 1
        add(.mark, start..<position, from: start)
    }

    private mutating func readWord(as kind: SwiftToken.Kind, from start: Int) {
        while let next = byte(), next.isInWord { position += 1 }
        add(kind, start..<position, from: start)
    }

    private mutating func readQuotedWord() {
        let start = position
        position += 1
        while let next = byte(), next != UInt8(ascii: "`"), next != UInt8(ascii: "\n") {
            position += 1
        }
        let text = start + 1..<position
        if byte() == UInt8(ascii: "`") { position += 1 }
        add(.quotedWord, text, from: start)
    }

    private mutating func readNumber() {
        let start = position
        while let next = byte() {
            let isPoint = next == UInt8(ascii: ".") && byte(1)?.isDigit == true
            guard next.isInWord || isPoint else { break }
            position += 1
        }
        add(.number, start..<position, from: start)
    }
}

// MARK: - Comments and regular expressions

extension SwiftLexer {
    private mutating func readSlash() {
        if isAt("//") {
            while let next = byte(), next != UInt8(ascii: "\n"), next != UInt8(ascii: "\r") {
                position += 1
            }
        } else if isAt("/*") {
            skipBlockComment()
        } else if let end = endOfRegex() {
            let start = position
            position = end
            add(.regex, start..<end, from: start)
        } else {
            readMark()
        }
    }

    private mutating func skipBlockComment() {
        var depth = 0
        while let next = byte() {
            if isAt("/*") {
                depth += 1
                position += 2
            } else if isAt("*/") {
                depth -= 1
                position += 2
                if depth == 0 { return }
            } else {
                if next == UInt8(ascii: "\n") { startsLine = true }
                position += 1
            }
        }
    }

    /// One past the `/…/` that begins here, or nil where the slash is an operator.
    ///
    /// As in the compiler: what stands before must not be an operand, no space follows, and the
    /// end is on the same line.
    private func endOfRegex() -> Int? {
        if let last = tokens.last {
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
        while place < bytes.count, bytes[place] != UInt8(ascii: "\n") {
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
        add(.regex, start..<position, from: start)
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

    /// Whether the quotes at `ahead` are three and nothing but white space follows on the line.
    private func beginsLines(ahead: Int) -> Bool {
        guard (0..<3).allSatisfy({ byte(ahead + $0) == UInt8(ascii: "\"") }) else { return false }
        var place = ahead + 3
        while let next = byte(place), next == UInt8(ascii: " ") || next == UInt8(ascii: "\t") {
            place += 1
        }
        return byte(place) == UInt8(ascii: "\n") || byte(place) == UInt8(ascii: "\r")
    }

    private mutating func readString(pounds: Int) {
        let quotes = beginsLines(ahead: pounds) ? 3 : 1
        let (start, isFirst) = (position, startsLine)
        position += pounds + quotes
        while let next = byte() {
            if next == UInt8(ascii: "\\"), hasPounds(pounds, ahead: 1) {
                position += 1 + pounds
                if byte() == UInt8(ascii: "(") {
                    skipInterpolation()
                } else if let escaped = byte(), escaped != UInt8(ascii: "\n") {
                    position += 1
                }
            } else if isEndOfString(quotes: quotes, pounds: pounds) {
                position += quotes + pounds
                break
            } else if next == UInt8(ascii: "\n"), quotes == 1 {
                break
            } else {
                position += 1
            }
        }
        startsLine = isFirst
        add(.string, start..<position, from: start)
    }

    private mutating func skipInterpolation() {
        let count = tokens.count
        readCode(asInterpolation: true)
        tokens.removeSubrange(count...)
    }

    private func isEndOfString(quotes: Int, pounds: Int) -> Bool {
        (0..<quotes).allSatisfy { byte($0) == UInt8(ascii: "\"") }
            && hasPounds(pounds, ahead: quotes)
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    /// Every byte of a character outside ASCII counts as part of a word.
    fileprivate var isInWord: Bool {
        isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self)
            || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self)
            || self == UInt8(ascii: "_") || self == UInt8(ascii: "$") || self >= 0x80
    }
}
