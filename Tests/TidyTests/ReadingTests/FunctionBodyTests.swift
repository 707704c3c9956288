import AnabranchMacroExpansion
import Testing

@Suite struct FunctionBodyTests {
    private func shape(_ source: String) -> String? {
        FunctionBody.all(in: SwiftLexer.tokens(of: source)).map { bodies in
            bodies.map { "\($0.name) \($0.line)-\($0.lastLine):\($0.lineCount)" }
                .joined(separator: ", ")
        }
    }

    @Test(arguments: [
        ("func f() {\n}", "f 1-2:2"),
        ("func f<T: P>(a: () -> Void = { }) async throws(E) -> [Int]\nwhere T: Q {\n}", "f 1-3:3"),
        ("static func < (a: A, b: A) -> Bool { true }", "< 1-1:1"),
        ("init?(a: Int) {\n self.init(b: a)\n}\ndeinit { }", "init 1-3:3, deinit 4-4:1"),
        (
            "subscript(i: Int) -> Int {\n get { 1 }\n set { }\n}",
            "subscript.get 2-2:1, subscript.set 3-3:1, subscript 1-4:4"
        ),
        ("func `a late { set`() { }", "a late { set 1-1:1"),
        ("func f() {\n func g() { }\n}", "g 2-2:1, f 1-3:3"),
    ])
    func `functions, initializers and subscripts`(_ source: String, _ expected: String) {
        #expect(shape(source) == expected)
    }

    @Test(arguments: [
        ("var a: Int {\n 1\n}", "a 1-3:3"),
        ("var a: [Int: (A, B)] { get async throws { x } }", "a.get 1-1:1, a 1-1:1"),
        ("var a = 1 {\n didSet { }\n willSet(new) { }\n}", "a.didSet 2-2:1, a.willSet 3-3:1"),
        ("var a: Int\nfunc f() { }", "f 2-2:1"),
        ("func f() {\n var a: Int\n if b { }\n}", "f 1-4:4"),
        ("func f() {\n if var a { }\n guard let b, var c else { }\n}", "f 1-4:4"),
        ("var a: (Int) ->\n  Int { f }", "a 1-2:2"),
        ("let a = { 1 }()", ""),
    ])
    func `properties and their accessors`(_ source: String, _ expected: String) {
        #expect(shape(source) == expected)
    }

    @Test func `requirements of a protocol have no body`() {
        let source = """
            protocol P {
                var a: Int { get set }
                init()
                func f() -> Int
            }
            extension P { func g() { } }
            """
        #expect(shape(source) == "g 6-6:1")
    }

    @Test func `lines of comments are not counted, lines of code and blank ones are`() {
        let source = """
            func f() {
                // one

                /* two

                three */
                a()  // four
                b(\"""
                    // text
                    \""")
            }
            """
        #expect(shape(source) == "f 1-11:7")
    }

    @Test(arguments: ["func f() {", "}", "func f() { { }"])
    func `braces that do not match are reported`(_ source: String) {
        #expect(shape(source) == nil)
    }
}
