import Testing

@Suite struct ErrorRuleTests {
    private func lines(_ text: String) -> [Int] {
        ErrorRule().violations(in: SourceFile(path: "Sources/A/E.swift", text: text)).map(\.line)
    }

    @Test(arguments: [
        "public struct E: Error {}\nextension E: CustomStringConvertible, DescribedError {}\n",
        "public struct E: LocalizedError {}\n", "package struct E: Error {}\n",
    ])
    func `an error with a message for people passes`(_ text: String) {
        #expect(lines(text).isEmpty)
    }

    @Test func `a public error without one is reported`() {
        let text = "public struct E: Error {}\nextension E: CustomStringConvertible {}\n"
        #expect(lines(text) == [1])
    }
}
