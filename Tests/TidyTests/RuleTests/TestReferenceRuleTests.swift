import Testing

@Suite struct TestReferenceRuleTests {
    private func lines(_ text: String) -> [Int] {
        let tests = SourceFile(
            path: "Tests/A/LateTests.swift",
            text: "struct LateTests { @Test func `a late set is kept`() {} }")
        let document = SourceFile(path: "Documentation/A.md", text: text)
        return TestReferenceRule(files: [tests, document]).violations(in: document).map(\.line)
    }

    @Test(arguments: [
        "`LateTests/a late set is kept`", "*LateTests*", "`LateTests`", "`Tests/A`", "none",
    ])
    func `a name that a test has passes`(_ text: String) {
        #expect(lines(text).isEmpty)
    }

    @Test(arguments: [
        "`LateTests/a late set`", "`EarlyTests/a late set is kept`",
        "`LateTests/a late set is kept` `LateTests/another`",
    ])
    func `a name that no test has is reported`(_ text: String) {
        #expect(lines("text\n" + text) == [2])
    }

    @Test func `a table of scenarios is whole, and each row names a test`() {
        func lines(_ text: String) -> [Int] {
            ScenarioTableRule(path: "A.md", count: 2)
                .violations(in: SourceFile(path: "A.md", text: text)).map(\.line)
        }
        let first = "| 1 | a late set | `LateTests/a late set is kept` |\n"
        #expect(lines(first + "| 2 | text | not built: no text yet |\n").isEmpty)
        #expect(lines(first) == [1])
        #expect(lines(first + "| 2 | text | shown by all |\n") == [2])
    }
}
