import Testing

@testable import AnabranchMacroExpansion

@Suite struct `The lexer` {
    private func texts(_ source: String) -> [String] {
        SwiftLexer.tokens(of: source).map(\.text)
    }

    @Test(arguments: [
        ("a // } {\n/* { /* } */ \" */b", ["a", "b"]),
        ("/// `}`\r\n/** { */ c", ["c"]),
        (#""}" "\"{" "\\""#, [#""}""#, #""\"{""#, #""\\""#]),
        (##"#"\"{"# x"##, [##"#"\"{"#"##, "x"]),
        (#""a \(b["}"] + "\(c)") {" d"#, [#""a \(b["}"] + "\(c)") {""#, "d"]),
        ("\"\"\"\n } \" \\(f(\")\"))\n\"\"\" e", ["\"\"\"\n } \" \\(f(\")\"))\n\"\"\"", "e"]),
        ("x = /[{\"]/ y", ["x", "=", "/[{\"]/", "y"]),
        ("#/ { /# y", ["#/ { /#", "y"]),
        ("a / b / c", ["a", "/", "b", "/", "c"]),
        ("`in`: -> _x9 größe 1_0.5e3", ["in", ":", "->", "_x9", "größe", "1_0.5e3"]),
        ("#if DEBUG\n#endif", ["#if", "DEBUG", "#endif"]),
        ("Set<Int>?", ["Set", "<", "Int", ">", "?"]),
    ])
    func `cuts what can hide a brace in one piece`(source: String, expected: [String]) {
        #expect(texts(source) == expected)
    }

    @Test func `tells where a token stands in bytes, and whether it begins a line`() {
        let tokens = SwiftLexer.tokens(of: "/* ü */ a\n  \"\"\"\n  é\n  \"\"\" b /*\n*/ c")
        #expect(tokens.map(\.offset) == [9, 13, 28, 36])
        #expect(tokens.map(\.end) == [10, 27, 29, 37])
        #expect(tokens.map(\.startsLine) == [true, true, false, true])
    }

    @Test(arguments: [
        "", "\"", "\"\\", "\"\\(", "\"\"\"\n\\(", "/*", "/* /* */", "`", "#", "#\"", "##/", "/a",
        "\\", "\u{0}", "'", "\"\\(\"\\(", "-", "1.", "@", "#if", "/",
    ])
    func `reads source that is no Swift to its end`(source: String) {
        let tokens = SwiftLexer.tokens(of: source)
        #expect(tokens.allSatisfy { $0.offset <= $0.end && $0.end <= source.utf8.count })
        #expect(SwiftLexer.tokens(of: source + "\n\"*/`/#\"").count >= tokens.count - 1)
    }
}
