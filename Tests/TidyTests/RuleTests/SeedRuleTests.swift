import Testing

@Suite struct SeedRuleTests {
    private func lines(_ arguments: String, _ parameter: String = "seed: UInt64") -> [Int] {
        let text = """
            @Suite struct OrderTests {
                @Test(arguments: \(arguments))
                func `every order is the same`(\(parameter)) throws {}
            }
            """
        let file = SourceFile(path: "Tests/SomeTests/OrderTests.swift", text: text)
        return SeedRule().violations(in: file).map(\.line)
    }

    @Test(arguments: ["0..<20", "1...20 as ClosedRange<UInt64>", "Kind.allCases, 0..<20"])
    func `seeds of a test's own are reported`(_ arguments: String) {
        #expect(lines(arguments) == [2])
    }

    @Test func `seeds of the run's length pass, and so do ranges of something else`() {
        #expect(lines("TestLength.seeds(80)").isEmpty)
        #expect(lines("Kind.allCases, TestLength.seeds(80)", "kind: Kind, seed: UInt64").isEmpty)
        #expect(lines("0..<20", "count: Int").isEmpty)
    }
}
