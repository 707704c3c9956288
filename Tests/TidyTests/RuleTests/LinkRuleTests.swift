import Testing

@Suite struct LinkRuleTests {
    private let paths: Set = ["README.md", "Documentation", "Documentation/A b.md", "a.png"]

    private func lines(_ text: String, at path: String = "README.md") -> [Int] {
        let file = SourceFile(path: path, text: text)
        let other = SourceFile(
            path: "Documentation/A b.md", text: "# The `log`, twice\n## Again\n## Again\n")
        return LinkRule(files: [file, other], paths: paths).violations(in: file).map(\.line)
    }

    @Test(arguments: [
        "[a](Documentation)", "[a](Documentation/A%20b.md)", "[a](./a.png) and [b](README.md)",
        "![a](a.png \"title\")", "[a](https://example.org/none)", "[a](mailto:a@example.org)",
        "# Head of it\n[a](#head-of-it)", "[a](Documentation/A%20b.md#the-log-twice)",
        "[a](Documentation/A%20b.md#again-1)", "`[a](none.md)`", "```\n[a](none.md)\n```",
        "[a]: Documentation",
    ])
    func `a link with a target passes`(_ text: String) {
        #expect(lines(text).isEmpty)
    }

    @Test(arguments: [
        "[a](none.md)", "[a](Documentation/none.md) `b`", "![a](none.png)", "[a](../README.md)",
        "[a](/README.md)", "[a](#none)", "[a](Documentation/A%20b.md#none)", "[a]: none.md",
        "[a](README.md) [b](none.md)",
    ])
    func `a link without a target is reported`(_ text: String) {
        #expect(lines("text\n" + text) == [2])
    }

    @Test func `a link is read from its document's folder`() {
        #expect(lines("[a](../README.md)", at: "Documentation/B.md").isEmpty)
        #expect(lines("[a](README.md)", at: "Documentation/B.md") == [1])
    }
}
