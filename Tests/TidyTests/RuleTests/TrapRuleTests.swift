import Testing

@Suite struct TrapRuleTests {
    private func lines(_ text: String, path: String = "Sources/A/B.swift") -> [Int] {
        TrapRule().violations(in: SourceFile(path: path, text: text)).map(\.line)
    }

    @Test(arguments: [
        "let a = try! b()", "let a = b as! C", "let a = \"\\(try! b())\"", "fatalError()",
        "precondition(a > 0)", "precondition(f(a, b), )", "preconditionFailure()",
        "fatalError(\n)",
    ])
    func `a trap without a message is refused`(_ source: String) {
        #expect(lines("\n" + source) == [2])
    }

    @Test(arguments: [
        "let a = try !b()", "let a = try? b()", "let a = b as? C", "fatalError(\"why\")",
        "fatalError(\"\\(why)\")", "precondition(f(a, b), \"why\")", "x.precondition(a)",
        "preconditionFailure(\"why\")", "// try! b()", "let a = \"try! b()\"",
        "dispatchPrecondition(condition: .onQueue(q))", "func precondition(_ a: Bool) {}",
    ])
    func `code that traps with a message, or does not trap, passes`(_ source: String) {
        #expect(lines(source).isEmpty)
    }

    @Test(arguments: [
        ("Server/A/B.swift", 1), ("Client/A/B.swift", 1), ("Tests/A/B.swift", 0),
        ("Benchmarks/A/B.swift", 0),
    ])
    func `only shipped code is held to the rule`(_ path: String, _ count: Int) {
        #expect(lines("try! a()", path: path).count == count)
    }
}
