import Testing

@Suite struct CodeNameRuleTests {
    private func lines(_ text: String) -> [Int] {
        let code = SourceFile(
            path: "Sources/A/Log.swift",
            text: """
                struct Log {
                    /// Only a comment has `lostName`.
                    func append(_ entry: Entry, at place: (Int, Int) = (0, 0), of zone: Zone) {}
                    func read<A, B>(from map: [A: B], body: (A, B) -> Void) { use("ab_row") }
                }
                """)
        let document = SourceFile(path: "Documentation/A.md", text: text)
        let rule = CodeNameRule(files: [code, document], paths: [code.path, "Scripts/demo"])
        return rule.violations(in: document).map(\.line)
    }

    @Test(arguments: [
        "`Log.append`", "`append(_:of:)`", "`append(_:at:of:)`", "``Log``, or `read` ``Log``",
        "`read(from:body:)`", "`ab_row`",
        "`Scripts/demo`", "`NSManagedObject`", "`SQLITE_BUSY`", "lostName", "`LogTests/lostName`",
        "```\n`lostName`\n```",
    ])
    func `a name of code passes`(_ text: String) {
        #expect(lines(text).isEmpty)
    }

    @Test(arguments: [
        "`lostName`", "`Log.add`", "`append(of:at:)`", "`append(_:zone:)`", "`read(_:)`",
        "See Log.swift:12.",
    ])
    func `a name that no code has is reported`(_ text: String) {
        #expect(lines("text\n" + text) == [2])
    }

    @Test func `a comment is held to it too`() {
        let file = SourceFile(
            path: "Sources/A/Log.swift", text: "/// Uses\n/// `lostName`.\nstruct Log {}\n")
        let rule = CodeNameRule(files: [file], paths: [file.path])
        #expect(rule.violations(in: file).map(\.line) == [2])
    }
}
