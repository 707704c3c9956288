import Testing

@Suite struct InvariantRuleTests {
    private let rule = InvariantRule(
        SourceFile(
            path: InvariantRule.document,
            text: "# Invariants\n\n## 1. One\n\n- Enforced: `Log.append`.\n\n"
                + "## 2. Two\n\n`Row`.\n"))

    private func lines(_ comment: String) -> [Int] {
        let file = SourceFile(
            path: "Sources/A/Log+Reading.swift", text: "import B\n/// \(comment)\nstruct Log {}\n")
        return rule.violations(in: file).map(\.line)
    }

    @Test(arguments: ["It holds (invariant 1).", "It has 2 entries.", "An invariant of it."])
    func `an invariant that names the file passes`(_ comment: String) {
        #expect(lines(comment).isEmpty)
    }

    @Test(arguments: [
        "It holds (invariant 2).", "It holds (invariants 1 and 2).", "It holds (invariant 3).",
    ])
    func `an invariant that is another one, or none, is reported`(_ comment: String) {
        #expect(lines(comment) == [2])
    }

    @Test func `a document cites only invariants that there are`() {
        let file = SourceFile(
            path: "Documentation/A.md", text: "# A\n\nSee invariants 1 and 2.\nSee invariant 3.\n")
        #expect(rule.violations(in: file).map(\.line) == [4])
    }
}
