import Testing

@Suite struct WordRuleTests {
    private func lines(_ text: String) -> [Int] {
        WordRule().violations(in: SourceFile(path: "Scripts/demo", text: text)).map(\.line)
    }

    @Test(arguments: WordRule.markers)
    func `a note of unfinished work is refused`(_ marker: String) {
        #expect(lines("a\n// \(marker): later") == [2])
        #expect(lines("a\n\(marker)") == [2])
    }

    @Test(arguments: WordRule.markers)
    func `a longer word is not the name of a note`(_ marker: String) {
        #expect(lines("\(marker)S \(marker)_A A\(marker) \(marker)\(marker)").isEmpty)
    }

    @Test(arguments: WordRule.machineFolders)
    func `a path of one machine is refused`(_ folder: String) {
        #expect(lines("cd \(folder)somewhere") == [1])
        #expect(lines("a\n\"\(folder)x\"") == [2])
    }

    @Test(arguments: WordRule.machineFolders)
    func `the same letters within a path or an address pass`(_ folder: String) {
        #expect(lines("https://example.org\(folder)a ../zone\(folder)b .\(folder)c").isEmpty)
    }
}
