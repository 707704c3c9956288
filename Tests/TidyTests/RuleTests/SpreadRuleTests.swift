import Testing

@Suite struct SpreadRuleTests {
    /// Reports on a type that a number of files of its module extend.
    private func violations(
        _ count: Int, _ numbers: [String: Int] = [:], extending text: String = "extension A {}"
    ) -> [String] {
        let files =
            [SourceFile(path: "Sources/M/A.swift", text: "package final class A {}\n")]
            + (100..<100 + count).map {
                SourceFile(path: "Sources/M/A+\($0).swift", text: text)
            }
        let rule = SpreadRule(files: files, numbers: numbers)
        return files.flatMap(rule.violations).map(\.path)
    }

    @Test func `a type is extended in twelve files at most`() {
        #expect(violations(12).isEmpty)
        #expect(violations(13) == ["Sources/M/A+112.swift"])
        #expect(violations(13, extending: "@MainActor package extension A: B {}").count == 1)
    }

    @Test func `types of other modules and in comments do not count`() {
        #expect(violations(13, extending: "extension B {}\n// extension A").isEmpty)
        #expect(violations(13, extending: "extension A.C {}").isEmpty)
    }

    @Test func `a number that is known may only fall`() {
        #expect(violations(15, ["M.A": 15]).isEmpty)
        #expect(violations(16, ["M.A": 15]).count == 1)
        #expect(violations(14, ["M.A": 15]).count == 1)
    }
}
