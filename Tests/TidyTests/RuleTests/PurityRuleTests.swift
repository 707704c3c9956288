import Testing

@Suite struct PurityRuleTests {
    private func lines(_ text: String, module: String = "AnabranchReplication") -> [Int] {
        let file = SourceFile(path: "Sources/\(module)/File.swift", text: text)
        return PurityRule().violations(in: file).map(\.line)
    }

    @Test(arguments: [
        "let a = Date()", "let a = Date.now", "let a: Instant = .now", "let a = UUID()",
        "Int.random(in: 0..<9)", "items.shuffled()", "items.randomElement()",
        "SystemRandomNumberGenerator()", "FileManager.default", "ContinuousClock()",
        "randombytes_buf(a, 16)", "print(a)", "Task { }",
    ])
    func `clock, randomness and system are refused in a pure module`(_ source: String) {
        #expect(lines("\n" + source) == [2])
        #expect(lines(source, module: "AnabranchStore").isEmpty)
    }

    @Test(arguments: [
        "Date(timeIntervalSinceReferenceDate: a)", "UUID(uuid: a)", "let now = 1; tick(now)",
        "Int.random(in: 0..<9, using: &generator)", "func random(_ a: Int) {}",
        "// Date.now", "let a = \"Date.now\"", "func tick(wallMilliseconds now: Int64) {}",
    ])
    func `values that the caller passes in are allowed`(_ source: String) {
        #expect(lines(source).isEmpty)
    }
}
