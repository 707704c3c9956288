import AnabranchMacroExpansion

/// Comments of sources call objects, records and replicas by their names: *who* and *somebody*
/// are for people.
struct PronounRule: FileRule {
    /// A comment about a person, which keeps its pronoun.
    struct Exception: Hashable {
        let path: String
        /// Text that the comment's line contains.
        let words: String
    }

    static let pronouns: Set<String> = [
        "who", "whom", "whose", "whoever", "whomever", "somebody", "someone", "nobody", "anybody",
        "anyone", "everybody", "everyone",
    ]
    /// The exceptions of this package: at most 20, each a sentence about a person.
    static let sentencesAboutPeople: [Exception] = []
    static let maximumExceptions = 20

    var exceptions = Self.sentencesAboutPeople

    func violations(in file: SourceFile) -> [Violation] {
        guard file.isSwift, file.isIn(ProseScope.sources) else { return [] }
        let comments = file.tokens.filter { $0.kind == .comment }
        let declarations = PublicComments(of: file)
        return comments.flatMap { comment in
            guard !ProseScope.isLeftOut(file) || declarations.contains(comment) else {
                return [Violation]()
            }
            return comment.text.split(separator: "\n").enumerated().compactMap { offset, line in
                violation(in: line, at: comment.line + offset, of: file)
            }
        }
    }

    private func violation(in line: Substring, at number: Int, of file: SourceFile) -> Violation? {
        let words = line.split { !($0.isLetter || $0 == "'" || $0 == "`") }
        let found = words.first { Self.pronouns.contains($0.lowercased()) }
        guard let found, !exceptions.contains(where: { isException($0, line, file) }) else {
            return nil
        }
        return Violation(
            path: file.path, line: number,
            message: "\"\(found)\" is for people. Name the object, the record, the replica or the "
                + "caller.")
    }

    private func isException(_ exception: Exception, _ line: Substring, _ file: SourceFile) -> Bool
    {
        exception.path == file.path && line.contains(exception.words)
    }
}
