/// One token of Swift source; white space is not a token.
package struct SwiftToken: Equatable, Sendable {
    package enum Kind: Sendable {
        /// A keyword or a name; the parser recognizes contextual keywords.
        case word
        /// A name in backticks. It is not a keyword, and its text is without the backticks.
        case quotedWord
        case number
        /// A whole literal, with its quotes and interpolations.
        case string
        case regex
        case comment
        /// A directive such as `#if`, or the name of a freestanding macro with its `#`.
        case directive
        /// One punctuation character, or `->`.
        case mark
    }

    package let kind: Kind
    package let text: String
    /// The line of its first byte, from 1.
    package let line: Int
    /// The line of its end; equal to `line` except for comments and literals of several lines.
    package let lastLine: Int
    /// The offset of its first byte in UTF-8 from the start of the source.
    package let offset: Int
    /// The offset after its last byte.
    package let end: Int
    /// True if only white space and comments precede it on its line.
    package let startsLine: Bool
    /// True for a token of code that a string interpolates. The string's own token comes before it
    /// in the list.
    package let isInterpolated: Bool

    package func isMark(_ text: String) -> Bool { kind == .mark && self.text == text }
    package func isWord(_ text: String) -> Bool { kind == .word && self.text == text }
    package var isName: Bool { kind == .word || kind == .quotedWord }
}

extension [SwiftToken] {
    /// The index after the bracket that matches the one at `index`; nil if there is none.
    package func indexAfterGroup(at index: Int) -> Int? {
        var depth = 0
        for place in index..<count where self[place].kind == .mark {
            switch self[place].text {
            case "(", "[", "{": depth += 1
            case ")", "]", "}":
                depth -= 1
                if depth == 0 { return place + 1 }
            default: break
            }
        }
        return nil
    }
}
