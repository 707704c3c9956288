import Testing

@Suite struct FilterRuleTests {
    private func lines(_ text: String, in path: String = "Scripts/late") -> [Int] {
        let tests = SourceFile(
            path: "Tests/SomeTests/LateTests.swift",
            text: "struct LateTests { @Test func `a late set is kept`() {} }")
        let script = SourceFile(path: path, text: text)
        return FilterRule(files: [tests, script]).violations(in: script).map(\.line)
    }

    @Test(arguments: [
        "--filter LateTests", "--filter 'SomeTests.*late set'", "--filter PATTERN",
        "--filter '^SomeTests\\.'", "--filter \"^$module\\\\.\"",
    ])
    func `a pattern that selects a test passes`(_ text: String) {
        #expect(lines(text).isEmpty)
    }

    @Test(arguments: ["--filter EarlyTests", "--filter 'an early set'"])
    func `a pattern that selects no test is reported`(_ text: String) {
        #expect(lines("text\nswift test " + text) == [2])
        #expect(lines(text, in: "Documentation/A.md") == [1])
        #expect(lines(text, in: "Sources/A/A.swift") == [])
    }
}
