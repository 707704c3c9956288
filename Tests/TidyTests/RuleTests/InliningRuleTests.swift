import Testing

@Suite struct InliningRuleTests {
    private func lines(_ text: String) -> [Int] {
        let files = [
            SourceFile(path: "Sources/A/Type.swift", text: "package struct Hidden {}\n"),
            SourceFile(path: "Sources/A/Uses.swift", text: text),
        ]
        return InliningRule(files: files).violations(in: files[1]).map(\.line)
    }

    @Test(arguments: [
        "public struct Seen {\n    @inlinable package func f() {}\n}\n",
        "@usableFromInline package struct Used {\n    @inlinable package func f() {}\n}\n",
        "package struct Other {\n    package func f() {}\n}\n",
    ])
    func `members that other modules can inline pass`(_ text: String) {
        #expect(lines(text).isEmpty)
    }

    @Test(arguments: [
        "package final class Other {\n    @inlinable package func f() {}\n}\n",
        "extension Hidden {\n    @inlinable package func f() {}\n}\n",
    ])
    func `a member of a type that can't be used from inlined code is reported`(_ text: String) {
        #expect(lines(text) == [2])
    }
}
