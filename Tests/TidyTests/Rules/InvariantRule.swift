import AnabranchMacroExpansion

/// A rule: an invariant that a comment or a document cites exists, and the entry of one that a
/// comment cites names the type of that file.
///
/// So a number that means another invariant is found, in the comment and in the document.
struct InvariantRule {
    static let document = "Documentation/Invariants.md"

    /// The text of each invariant, by its number.
    private let entries: [Int: Substring]

    init(_ document: SourceFile) {
        let parts = document.text.split(separator: "\n## ")
        entries = Dictionary(
            parts.compactMap { part in
                part.prefixMatch(of: #/(\d+)\. /#).flatMap { Int($0.1) }.map { ($0, part) }
            }, uniquingKeysWith: { first, _ in first })
    }

    func violations(in file: SourceFile) -> [Violation] {
        if file.isDocument { return missing(in: file) }
        guard file.isSwift, file.isIn(ProseScope.sources) else { return [] }
        let name = file.components.last?.prefix { $0 != "." && $0 != "+" } ?? ""
        return file.tokens.filter { $0.kind == .comment }.flatMap { comment in
            Self.numbers(in: comment.text).compactMap { number in
                refusal(of: number, by: name).map {
                    Violation(path: file.path, line: comment.line, message: $0)
                }
            }
        }
    }

    private func missing(in file: SourceFile) -> [Violation] {
        file.lines.enumerated().flatMap { index, line in
            Self.numbers(in: String(line)).filter { entries[$0] == nil }.map {
                Violation(path: file.path, line: index + 1, message: Self.missing($0))
            }
        }
    }

    private static func missing(_ number: Int) -> String { "There is no invariant \(number)." }

    private func refusal(of number: Int, by name: Substring) -> String? {
        guard let entry = entries[number] else { return Self.missing(number) }
        let names = entry.matches(of: /`(\w+)/).map(\.1)
        guard !names.contains(name) else { return nil }
        return "Invariant \(number) does not name \(name). Correct the number, or add the name "
            + "to \(Self.document)."
    }

    private static func numbers(in text: String) -> [Int] {
        text.matches(of: /\binvariants? ([0-9]+(?:(?:, | and )[0-9]+)*)/).flatMap { match in
            match.1.matches(of: /[0-9]+/).compactMap { Int($0.0) }
        }
    }
}
