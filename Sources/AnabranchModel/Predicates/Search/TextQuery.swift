/// A query for words in texts, as MATCHES with the option `s` takes it.
///
/// | query | finds a text with |
/// |---|---|
/// | `swift sync` | both words, anywhere |
/// | `"object graph"` | the words next to each other, in this order |
/// | `syn*` | a word that begins so |
/// | `^swift` | the word at the beginning of the text |
/// | `swift OR rust` | one of the words |
/// | `swift NOT apple` | the first word and not the second |
/// | `NEAR(swift sync, 5)` | both, with at most 5 words between them; without a number, 10 |
/// | `(swift OR rust) sync` | what the parts in parentheses demand |
///
/// `AND`, `OR`, `NOT` and `NEAR` are operators only in capital letters; `NOT` binds tightest, then
/// `AND`, written or not, then `OR`. Any other character is part of a word or separates words, so
/// a text that a person typed is a query as it is, unless a quotation mark or a parenthesis has no
/// other end. Words are those of Unicode 6.1, without case and diacritical marks. A query without
/// words finds nothing.
package struct TextQuery: Hashable, Sendable {
    /// The query as it was given.
    package let text: String
    /// The query for SQLite's FTS5; `nil` if it finds nothing.
    package let expression: String?

    /// Reads a query.
    ///
    /// - Throws: ``FetchPredicateError`` with code `invalidQuery`, and with code `tooComplex` for
    ///   more than ``greatestTermCount`` words and phrases or more than ``greatestDepth`` levels
    ///   of parentheses.
    package init(_ text: String) throws(FetchPredicateError) {
        self.text = text
        var parser = TextQueryParser(text)
        expression = try parser.parse()
    }

    /// The greatest number of words and phrases in a query.
    package static let greatestTermCount = 200
    /// The greatest number of parentheses inside each other.
    ///
    /// FTS5 reads about 30 of those that the operators in them become.
    package static let greatestDepth = 6
}
