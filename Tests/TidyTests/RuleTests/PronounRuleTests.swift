import Foundation
import Testing

@Suite struct PronounRuleTests {
    private func lines(
        _ text: String, in path: String = "Sources/A/B.swift",
        exceptions: [PronounRule.Exception] = []
    ) -> [Int] {
        let file = SourceFile(path: path, text: text)
        return PronounRule(exceptions: exceptions).violations(in: file).map(\.line)
    }

    @Test(arguments: PronounRule.pronouns)
    func `an object that is called a person is refused`(_ pronoun: String) {
        #expect(lines("// The replica \(pronoun) saved.") == [1])
        #expect(lines("let a = 1\n/// \(pronoun.capitalized) saves.\nlet b = 2") == [2])
        #expect(lines("/* A set.\n \(pronoun) saved. */") == [2])
    }

    @Test func `code, longer words and other folders pass`() {
        #expect(lines("let who = \"whom\"").isEmpty)
        #expect(lines("// The whole record, and whoopers.").isEmpty)
        #expect(lines("// The replica who saved.", in: "Tests/A/B.swift").isEmpty)
    }

    @Test func `a sentence about a person passes once it is listed`() {
        let text = "// The person whose name it is."
        let exception = PronounRule.Exception(
            path: "Sources/A/B.swift", words: "person whose name")
        #expect(lines(text, exceptions: [exception]).isEmpty)
        #expect(lines(text, in: "Sources/A/C.swift", exceptions: [exception]) == [1])
    }

    @Test func `only public declarations count in code that will be rebuilt`() {
        let text = """
            /// The object whose value it is.
            public var a = 1
            /// The object whose value it is.
            var b = 2
            """
        #expect(lines(text, in: "Sources/Anabranch/Undo/A.swift") == [1])
        #expect(lines(text, in: "Sources/Anabranch/Objects/A.swift") == [1, 3])
    }

    @Test func `few sentences are excepted, and each is still there`() throws {
        let exceptions = PronounRule.sentencesAboutPeople
        #expect(exceptions.count <= PronounRule.maximumExceptions)
        let files = try SourceTree.package.get().files
        for exception in exceptions {
            let file = files.first { $0.path == exception.path }
            #expect(file?.text.contains(exception.words) == true, "\(exception)")
        }
    }
}
