/// One lexical piece of a Swift file.
struct SwiftToken: Equatable {
    enum Kind: Equatable {
        /// A name or a keyword; contextual keywords are told apart by who reads them.
        case word
        /// A name in backticks, which is never a keyword. The text has no backticks.
        case quotedWord
        case number
        /// One byte of punctuation: `->` is two tokens.
        case punctuation
        /// A literal, or the part of one before, between or after interpolations, whose own code
        /// follows as tokens of its own.
        case string
        case regex
        case comment
        /// `#if`, `#else`, `#file`: the text has the `#`.
        case directive
    }

    let kind: Kind
    /// Empty for comments and literals, of which only the place matters.
    let text: String
    /// From 1.
    let line: Int
    /// Equal to `line` but in comments and literals that span lines.
    let lastLine: Int
    /// The first byte in the file.
    let offset: Int
    /// One past the last byte in the file.
    let end: Int

    func isWord(_ word: String) -> Bool { kind == .word && text == word }
    func isMark(_ mark: String) -> Bool { kind == .punctuation && text == mark }
}

extension [SwiftToken] {
    /// The index after the bracket that closes the one at `index`, or nil where none does.
    func indexAfterGroup(at index: Int) -> Int? {
        var depth = 0
        for place in index..<count where self[place].kind == .punctuation {
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
