import AnabranchMacroExpansion

/// A function, initializer, subscript or accessor that has a body.
struct FunctionBody: Equatable {
    /// The name that a reader searches for: `save`, `init`, `total.get`.
    let name: String
    /// The line of `func`, `init`, `var` or the accessor's word, from 1.
    let line: Int
    /// The line of the closing brace.
    let lastLine: Int
    /// The number of lines from first to last, without the lines that hold only comments.
    let lineCount: Int
}

extension FunctionBody {
    /// Returns every body in the tokens of a file. A nested body comes before the one around it.
    ///
    /// - Returns: `nil` if the braces do not match, so that the absence of violations can't be
    ///   misread.
    static func all(in tokens: [SwiftToken]) -> [FunctionBody]? {
        var finder = FunctionFinder(tokens: tokens.filter { $0.kind != .comment })
        guard let spans = finder.spans() else { return nil }
        let commentLines = CommentLines(tokens: tokens)
        return spans.map { span in
            FunctionBody(
                name: span.name, line: span.line, lastLine: span.lastLine,
                lineCount: span.lastLine - span.line + 1
                    - commentLines.count(from: span.line, to: span.lastLine))
        }
    }
}

/// The lines of a file that hold comments and no code.
struct CommentLines {
    private let lines: Set<Int>

    init(tokens: [SwiftToken]) {
        var (comments, code) = (Set<Int>(), Set<Int>())
        for token in tokens {
            if token.kind == .comment {
                comments.formUnion(token.line...token.lastLine)
            } else {
                code.formUnion(token.line...token.lastLine)
            }
        }
        lines = comments.subtracting(code)
    }

    func count(from first: Int, to last: Int) -> Int {
        (first...max(first, last)).count { lines.contains($0) }
    }
}
