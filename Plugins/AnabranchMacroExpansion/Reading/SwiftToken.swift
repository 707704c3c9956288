/// One piece of Swift source; white space is none.
package struct SwiftToken: Equatable, Sendable {
    package enum Kind: Sendable {
        /// A keyword or a name; contextual keywords are told apart by who reads them.
        case word
        /// A name in backticks, which are not part of the text and make it no keyword.
        case quotedWord
        case number
        /// A whole literal, with its quotes and what is interpolated.
        case string
        case regex
        case comment
        /// `#if` and the like, or the name of a freestanding macro with its `#`.
        case directive
        /// One punctuation character, or `->`.
        case mark
    }

    package let kind: Kind
    package let text: String
    /// From 1.
    package let line: Int
    /// Equal to `line` but in comments and literals that span lines.
    package let lastLine: Int
    /// In UTF-8 bytes from the start of the source.
    package let offset: Int
    /// One past its last byte.
    package let end: Int
    /// Whether nothing but white space and comments stands before it on its line.
    package let startsLine: Bool
    /// Whether it is code within the string that stands before it among the tokens.
    package let isInterpolated: Bool

    package func isMark(_ text: String) -> Bool { kind == .mark && self.text == text }
    package func isWord(_ text: String) -> Bool { kind == .word && self.text == text }
    package var isName: Bool { kind == .word || kind == .quotedWord }
}

extension [SwiftToken] {
    /// The index after the bracket that closes the one at `index`, or nil where none does.
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
