import Testing

struct ParityTableRuleTests {
    @Test func `every ID has a row, and every row a test`() {
        func messages(_ text: String) -> [String] {
            ParityTableRule(path: "P.md", ids: ["C1", "6.C.35"])
                .violations(in: SourceFile(path: "P.md", text: text)).map(\.message)
        }
        let head = "| ID | behaviour | against Core Data | tests |\n|---|---|---|---|\n"
        let first = "| C1 | a queue | as Core Data | `QueueTests/a context has a queue` |\n"
        let second = "| 6.C.35 | defaults | not built: later | |\n"
        #expect(messages(head + first + second) == [])
        #expect(messages(head + first) == ["There is no row 6.C.35. Add it."])
        let untold = "| 6.C.35 | defaults | as Core Data | all of them |\n"
        #expect(messages(first + untold) == ["The row 6.C.35 names no test. Name one."])
    }

    @Test func `every specified ID is counted`() {
        #expect(ParityTableRule.specified.count == 22 + 17 + 21 + 9 + 15 + 18 + 8 + 71)
        #expect(Set(ParityTableRule.specified).count == ParityTableRule.specified.count)
    }
}
