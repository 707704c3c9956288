import Testing

@Suite struct FragmentRuleTests {
    private func lines(_ text: String, in path: String = "Sources/A/B.swift") -> [Int] {
        FragmentRule().violations(in: SourceFile(path: path, text: text)).map(\.line)
    }

    @Test(arguments: FragmentRule.openings)
    func `a first line that continues a name is refused`(_ opening: String) {
        #expect(lines("/// \(opening) the record has.\nlet a = 1") == [1])
    }

    @Test func `a phrase, a later line and a plain comment pass`() {
        #expect(lines("/// The records of a page.\n/// Of these, the first.\nlet a = 1").isEmpty)
        #expect(lines("// As above.").isEmpty)
        #expect(lines("/// Offsets of the records.").isEmpty)
    }

    @Test func `only public declarations count in code that will be rebuilt`() {
        let text = "/// Of the record.\npublic let a = 1\n/// Of the record.\nlet b = 2"
        #expect(lines(text, in: "Sources/Anabranch/Children/A.swift") == [1])
    }
}
