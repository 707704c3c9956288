/// One piece of Swift source; comments and white space are none.
struct SwiftToken: Equatable {
    enum Kind {
        /// A keyword or a name.
        case word
        /// A name in backticks, which are not part of the text.
        case quotedWord
        case number
        /// A whole literal, with its quotes and what is interpolated.
        case string
        case regex
        /// `#if` and the like, or the name of a freestanding macro with its `#`.
        case directive
        /// One punctuation character, or `->`.
        case mark
    }

    let kind: Kind
    let text: String
    /// In UTF-8 bytes from the start of the source.
    let offset: Int
    let end: Int
    /// Whether nothing but white space and comments stands before it on its line.
    let startsLine: Bool

    func isMark(_ text: String) -> Bool { kind == .mark && self.text == text }
    func isWord(_ text: String) -> Bool { kind == .word && self.text == text }
    var isName: Bool { kind == .word || kind == .quotedWord }
}
