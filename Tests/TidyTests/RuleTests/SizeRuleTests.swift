import Testing

@Suite struct SizeRuleTests {
    private func lines(_ path: String, _ text: String) -> [Int] {
        SizeRule().violations(in: SourceFile(path: path, text: text)).map(\.line)
    }

    private func repeated(_ line: String, _ count: Int) -> String {
        String(repeating: line + "\n", count: count)
    }

    @Test(arguments: [
        ("Sources/A/B.swift", 500), ("Tests/A/B.swift", 800), ("Sources/C/shim.h", 500),
        ("README.md", 200), ("CHANGELOG.md", 120), ("Documentation/Testing.md", 360),
    ])
    func `a file ends at its limit`(_ path: String, _ limit: Int) {
        #expect(lines(path, repeated("a", limit)).isEmpty)
        #expect(lines(path, repeated("a", limit + 1)) == [limit + 1])
    }

    @Test func `a line of figures ends at its limit, counted in words`() {
        let path = "Documentation/Benchmarks.md"
        let line = String(repeating: "a ", count: 150)
        #expect(lines(path, "a\n" + line).isEmpty)
        #expect(lines(path, "a\n" + line + "a") == [2])
        #expect(lines("Documentation/Protocol.md", line + "a").isEmpty)
    }

    @Test func `other documents may be long`() {
        #expect(lines("Documentation/Protocol.md", repeated("a", 2_000)).isEmpty)
    }

    @Test func `a line ends at its limit, counted in characters`() {
        let path = "Sources/A/B.swift"
        #expect(lines(path, "a\n" + String(repeating: "é", count: 100)).isEmpty)
        #expect(lines(path, "a\n" + String(repeating: "é", count: 101)) == [2])
    }

    @Test func `a function ends at its limit, without its comments`() {
        let path = "Sources/A/B.swift"
        func function(_ lineCount: Int) -> String {
            "\nfunc f() {\n// note\n" + repeated("a()", lineCount - 2) + "}\n"
        }
        #expect(lines(path, function(70)).isEmpty)
        #expect(lines(path, function(71)) == [2])
    }

    @Test func `braces that cannot be matched are reported`() {
        let source = "#if A\nfunc f() {\n#else\nfunc f() {\n#endif\n}"
        #expect(lines("Sources/A/B.swift", source) == [1])
    }
}
