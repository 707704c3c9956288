import AnabranchMacroExpansion

/// A doc comment begins with a phrase that can be understood alone: what the thing is or does.
struct FragmentRule: FileRule {
    /// Words with which a line only continues the name below it.
    static let openings: Set<String> = [
        "Of", "That", "Where", "Those", "Who", "Whom", "Whose", "As", "What", "Which", "Such",
        "Than", "Whatever",
    ]

    func violations(in file: SourceFile) -> [Violation] {
        guard file.isSwift, file.isIn(ProseScope.sources) else { return [] }
        let declarations = PublicComments(of: file)
        var lastLine = -1
        var violations: [Violation] = []
        for comment in file.tokens where comment.kind == .comment && comment.text.hasPrefix("///") {
            let isFirst = comment.line != lastLine + 1
            lastLine = comment.line
            guard isFirst, !ProseScope.isLeftOut(file) || declarations.contains(comment),
                let opening = Self.opening(of: comment.text), Self.openings.contains(opening)
            else { continue }
            violations.append(
                Violation(
                    path: file.path, line: comment.line,
                    message: "\"\(opening) …\" continues something that is not there. Begin with "
                        + "what the thing is or does."))
        }
        return violations
    }

    private static func opening(of comment: String) -> String? {
        comment.drop { $0 == "/" || $0 == " " }.split { !$0.isLetter }.first.map(String.init)
    }
}
