import Testing

@testable import AnabranchMacroExpansion

@Suite struct `The lexer` {
    private func texts(_ source: String) -> [String] {
        SwiftLexer.code(of: source).map(\.text)
    }

    @Test(arguments: [
        ("let a = 1.5 + 0x1F", ["let", "a", "=", "1.5", "+", "0x1F"]),
        ("`in`: -> _x9 größe 1_0.5e3", ["in", ":", "->", "_x9", "größe", "1_0.5e3"]),
        ("`a late { set`()", ["a late { set", "(", ")"]),
        ("größe { 1 }", ["größe", "{", "1", "}"]),
        ("0..<10", ["0", ".", ".", "<", "10"]),
        ("Set<Int>?", ["Set", "<", "Int", ">", "?"]),
        ("#if os(Linux)\n#endif", ["#if", "os", "(", "Linux", ")", "#endif"]),
        ("#!/usr/bin/env swift {\nx", ["x"]),
    ])
    func `distinguishes words, numbers and marks`(source: String, expected: [String]) {
        #expect(texts(source) == expected)
    }

    @Test(arguments: [
        (#""a { b" "" x"#, [#""a { b""#, #""""#, "x"]),
        (#""}" "\"{" "\\""#, [#""}""#, #""\"{""#, #""\\""#]),
        (##"#"\"{"# x"##, [##"#"\"{"#"##, "x"]),
        (##"#"a " \( { "# x"##, [##"#"a " \( { "#"##, "x"]),
        (##"#"""# x"##, [##"#"""#"##, "x"]),
        (#""a \(b["}"] + "\(c)") {" d"#, [#""a \(b["}"] + "\(c)") {""#, "d"]),
        ("\"\"\"\n } \" \\(f(\")\"))\n\"\"\" e", ["\"\"\"\n } \" \\(f(\")\"))\n\"\"\"", "e"]),
        ("\"\"\"\n \\\"\"\" {\n\"\"\" x", ["\"\"\"\n \\\"\"\" {\n\"\"\"", "x"]),
        ("\"not ended {\nx", ["\"not ended {", "x"]),
    ])
    func `cuts a string of any form in one piece`(source: String, expected: [String]) {
        #expect(texts(source) == expected)
    }

    @Test(arguments: [
        ("x = /[{\"]/ y", ["x", "=", "/[{\"]/", "y"]),
        ("let r = /a{2}\"/", ["let", "r", "=", "/a{2}\"/"]),
        ("#/ { /# y", ["#/ { /#", "y"]),
        ("let r = #/a/{b\"/# x", ["let", "r", "=", "#/a/{b\"/#", "x"]),
        ("split(/,/)", ["split", "(", "/,/", ")"]),
        ("= /* a */ /{/", ["=", "/{/"]),
        ("a / b { c / d }", ["a", "/", "b", "{", "c", "/", "d", "}"]),
        ("a /* = */ /b/ c", ["a", "/", "b", "/", "c"]),
        ("(a) / b / c", ["(", "a", ")", "/", "b", "/", "c"]),
        (#""\(a)" / b / c"#, [#""\(a)""#, "/", "b", "/", "c"]),
        ("reduce(1, /)", ["reduce", "(", "1", ",", "/", ")"]),
    ])
    func `distinguishes regular expressions from divisions`(source: String, expected: [String]) {
        #expect(texts(source) == expected)
    }

    @Test(arguments: [
        ("// { \"\nx", ["// { \"", "x"]),
        ("a // } {\n/* { /* } */ \" */b", ["a", "// } {", "/* { /* } */ \" */", "b"]),
        ("/// `}`\r\n/** { */ c", ["/// `}`", "/** { */", "c"]),
    ])
    func `cuts a comment in one piece, which is no code`(source: String, expected: [String]) {
        let tokens = SwiftLexer.tokens(of: source)
        #expect(tokens.map(\.text) == expected)
        #expect(texts(source) == tokens.filter { $0.kind != .comment }.map(\.text))
        #expect(tokens.allSatisfy { ($0.kind == .comment) == $0.text.hasPrefix("/") })
    }

    @Test(arguments: [
        (##"#"a \#(b) c"# x"##, "STRING [(] [b] [)] x"),
        (
            #""a \(b { "c \(d)" }) e" x"#,
            "STRING [(] [b] [{] [STRING] [(] [d] [)] [}] [)] x"
        ),
        ("\"\"\"\n { \" \"\" \\(b)\n\"\"\" x", "STRING [(] [b] [)] x"),
        (#""\(a)\(b /* ) */)" x"#, "STRING [(] [a] [)] [(] [b] [/* ) */] [)] x"),
    ])
    func `gives what a string holds of code after it`(source: String, expected: String) {
        let shape = SwiftLexer.tokens(of: source).map { token in
            let text = token.kind == .string ? "STRING" : token.text
            return token.isInterpolated ? "[\(text)]" : text
        }
        #expect(shape.joined(separator: " ") == expected)
        #expect(texts(source).count == 2)
    }

    @Test func `reports a token's byte offset, and whether it begins a line`() {
        let tokens = SwiftLexer.code(of: "/* ü */ a\n  \"\"\"\n  é\n  \"\"\" b /*\n*/ c")
        #expect(tokens.map(\.offset) == [9, 13, 28, 36])
        #expect(tokens.map(\.end) == [10, 27, 29, 37])
        #expect(tokens.map(\.startsLine) == [true, true, false, true])
    }

    @Test func `knows that what follows a string with code in it begins no line`() {
        let tokens = SwiftLexer.code(of: "\"\"\"\n \\(\n a)\n \"\"\" b\n\"\\(a)\" c")
        #expect(tokens.map(\.startsLine) == [true, false, true, false])
        #expect(tokens.map(\.line) == [1, 4, 5, 5])
    }

    @Test(arguments: ["\n", "\r\n", "\r"])
    func `reports the lines of a token, whatever ends them`(end: String) {
        let lines = ["a", "/* b", " */ c \"\"\"", " d", " \"\"\"", "e // f", "#/", "/# g"]
        let tokens = SwiftLexer.tokens(of: lines.joined(separator: end))
        #expect(tokens.map(\.line) == [1, 2, 3, 3, 6, 6, 7, 8])
        #expect(tokens.map(\.lastLine) == [1, 3, 3, 5, 6, 6, 8, 8])
    }

    @Test(arguments: [
        "", "\"", "\"\\", "\"\\(", "\"\"\"\n", "\"\"\"\n\\(", "/*", "/* /* */", "`", "#", "#\"",
        "#/", "##/", "/a", "\\", "\u{0}", "'", "\"\\(\"\\(", "-", "1.", "@", "#if", "/", "#!",
    ])
    func `reads source that is no Swift to its end`(source: String) {
        let tokens = SwiftLexer.tokens(of: source)
        #expect(tokens.allSatisfy { $0.offset <= $0.end && $0.end <= source.utf8.count })
        #expect(SwiftLexer.tokens(of: source + "\n\"*/`/#\"").count >= tokens.count - 1)
    }
}
