/// A rule: files, functions and lines are small enough to read.
struct SizeRule: FileRule {
    static let functionLimit = 70
    static let columnLimit = 100
    static let documentLimits = [
        "README.md": 200, "CHANGELOG.md": 120,
    ]
    /// Documents of runs and figures, in which no line has more words than the limit.
    static let documentsOfFigures: Set = [
        "Documentation/Benchmarks.md", "Documentation/Testing.md",
        "Documentation/TestingDatabases.md",
    ]
    static let wordLimit = 150

    func violations(in file: SourceFile) -> [Violation] {
        if Self.documentsOfFigures.contains(file.path) {
            return tooManyWords(in: file) + tooManyLines(in: file, limit: 360)
        }
        let isCode = file.isSwift || file.path.hasSuffix(".h") || file.path.hasSuffix(".c")
        let documentLimit = Self.documentLimits[file.path]
        guard isCode || documentLimit != nil else { return [] }
        let limit = documentLimit ?? (file.isIn(["Tests"]) ? 800 : 500)
        return tooManyLines(in: file, limit: limit)
            + (isCode ? tooLongLines(in: file) : [])
            + (file.isSwift ? tooLongFunctions(in: file) : [])
    }

    private func tooManyLines(in file: SourceFile, limit: Int) -> [Violation] {
        let count = file.lines.count
        guard count > limit else { return [] }
        return [
            Violation(
                path: file.path, line: limit + 1,
                message: "The file has \(count) lines, more than \(limit). Split it along a "
                    + "concept that has a name.")
        ]
    }

    private func tooManyWords(in file: SourceFile) -> [Violation] {
        file.lines.enumerated().compactMap { index, line in
            let count = line.split(separator: " ").count
            guard count > Self.wordLimit else { return nil }
            return Violation(
                path: file.path, line: index + 1,
                message: "The line has \(count) words, more than \(Self.wordLimit). Make it a "
                    + "list or a table.")
        }
    }

    private func tooLongLines(in file: SourceFile) -> [Violation] {
        file.lines.enumerated().compactMap { index, line in
            guard line.utf8.count > Self.columnLimit, line.count > Self.columnLimit else {
                return nil
            }
            return Violation(
                path: file.path, line: index + 1,
                message: "The line has \(line.count) columns, more than \(Self.columnLimit). "
                    + "Break it; Scripts/format does most.")
        }
    }

    private func tooLongFunctions(in file: SourceFile) -> [Violation] {
        guard let bodies = FunctionBody.all(in: file.tokens) else {
            return [
                Violation(
                    path: file.path, line: 1,
                    message: "The braces don't match, so functions can't be measured. Don't split "
                        + "a pair of braces over #if branches.")
            ]
        }
        return bodies.filter { $0.lineCount > Self.functionLimit }.map { body in
            Violation(
                path: file.path, line: body.line,
                message: "\(body.name) has \(body.lineCount) lines without comments, more than "
                    + "\(Self.functionLimit). Split off a step that has a name.")
        }
    }
}
