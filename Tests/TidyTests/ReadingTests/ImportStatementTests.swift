import AnabranchMacroExpansion
import Testing

@Suite struct ImportStatementTests {
    private func statements(_ source: String) -> [ImportStatement] {
        ImportStatement.all(in: SwiftLexer.tokens(of: source))
    }

    @Test(arguments: [
        "import A", "public import A", "@testable import A", "@_exported public import A",
        "@_spi(Private) internal import A", "import struct A.B", "import A.B", "import `A`",
        "// import B\nimport A", "let a = \"import B\"; import A",
    ])
    func `every form names its module`(_ source: String) {
        #expect(statements(source).map(\.module) == ["A"])
    }

    @Test(arguments: ["x.import\nA", "`import`\nA", "// import A", "\"\"\"\nimport A\n\"\"\""])
    func `text that only looks like an import is not an import`(_ source: String) {
        #expect(statements(source).isEmpty)
    }

    @Test func `conditions of open blocks are kept`() {
        let source = """
            #if canImport(A)
            import A
            #elseif os(Linux) && DEBUG
            import B
            #else
            #if X
            import C
            #endif
            import D
            #endif
            import E
            """
        #expect(statements(source).map(\.line) == [2, 4, 7, 9, 11])
        #expect(
            statements(source).map(\.conditions) == [
                ["canImport(A)"],
                ["!(canImport(A))", "os(Linux)&&DEBUG"],
                ["!(canImport(A))", "!(os(Linux)&&DEBUG)", "X"],
                ["!(canImport(A))", "!(os(Linux)&&DEBUG)"],
                [],
            ])
    }
}
