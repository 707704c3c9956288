import Testing

@Suite struct SwiftLexerTests {
    /// The texts of words and marks; of the rest, the kind.
    private func shape(_ source: String) -> String {
        SwiftLexer.tokens(of: source).map { token in
            switch token.kind {
            case .string: "STRING"
            case .regex: "REGEX"
            case .comment: "COMMENT"
            case .quotedWord: "`\(token.text)`"
            default: token.text
            }
        }.joined(separator: " ")
    }

    @Test(arguments: [
        ("let a = 1.5 + 0x1F", "let a = 1.5 + 0x1F"),
        ("0..<10", "0 . . < 10"),
        ("// { \"\nx", "COMMENT x"),
        ("/* a /* { */ } */ x", "COMMENT x"),
        ("`a late { set`()", "`a late { set` ( )"),
        ("#if os(Linux)", "#if os ( Linux )"),
        ("größe { 1 }", "größe { 1 }"),
    ])
    func `words, marks and comments`(_ source: String, _ expected: String) {
        #expect(shape(source) == expected)
    }

    @Test(arguments: [
        (#""a { b" x"#, "STRING x"),
        (#""a \" { b" x"#, "STRING x"),
        (#""" x"#, "STRING x"),
        (##"#"a " \( { "# x"##, "STRING x"),
        (##"#"a \#(b) c"# x"##, "STRING ( b ) STRING x"),
        (##"#"""# x"##, "STRING x"),
        (#""a \(b { "c \(d)" }) e" x"#, "STRING ( b { STRING ( d ) STRING } ) STRING x"),
        ("\"\"\"\n { \" \"\" \\(b)\n\"\"\" x", "STRING ( b ) STRING x"),
        ("\"\"\"\n \\\"\"\" {\n\"\"\" x", "STRING x"),
        ("\"not ended {\nx", "STRING x"),
    ])
    func `strings of every form`(_ source: String, _ expected: String) {
        #expect(shape(source) == expected)
    }

    @Test(arguments: [
        ("let r = /a{2}\"/", "let r = REGEX"),
        ("let r = #/a/{b\"/# x", "let r = REGEX x"),
        ("a / b { c / d }", "a / b { c / d }"),
        ("(a) / b / c", "( a ) / b / c"),
        ("split(/,/)", "split ( REGEX )"),
        ("reduce(1, /)", "reduce ( 1 , / )"),
    ])
    func `regular expressions are told from divisions`(_ source: String, _ expected: String) {
        #expect(shape(source) == expected)
    }

    @Test func `tokens know their lines`() {
        let tokens = SwiftLexer.tokens(of: "a\n/* b\n */ c \"\"\"\n d\n \"\"\"\ne")
        #expect(tokens.map(\.line) == [1, 2, 3, 3, 6])
        #expect(tokens.map(\.lastLine) == [1, 3, 3, 5, 6])
    }

    @Test(arguments: ["\"", "\"\\", "\"\"\"\n", "`", "/*", "#\"", "\"\\(", "/", "#", "\\", "#/"])
    func `source that breaks off is read to its end`(_ source: String) {
        #expect(SwiftLexer.tokens(of: source).allSatisfy { $0.end <= source.utf8.count })
    }
}
