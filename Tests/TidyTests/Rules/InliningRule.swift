import AnabranchMacroExpansion

/// A rule: a type with `@inlinable` members is public, or has the attribute `@usableFromInline`.
///
/// The compiler accepts `@inlinable` in a `package` type without it, but then other modules call
/// the members and can't specialize the generic ones.
struct InliningRule {
    /// The names of `package` types without the attribute, by module.
    private let opaque: [Substring: Set<String>]

    init(files: [SourceFile]) {
        var opaque: [Substring: Set<String>] = [:]
        for file in files where Self.isChecked(file) {
            let code = file.tokens.filter { $0.kind != .comment }
            for index in code.indices where Self.isOpaqueType(at: index, in: code) {
                opaque[file.components[1], default: []].insert(code[index + 1].text)
            }
        }
        self.opaque = opaque
    }

    func violations(in file: SourceFile) -> [Violation] {
        guard Self.isChecked(file), let opaque = opaque[file.components[1]] else { return [] }
        var enclosing: [String?] = []
        var declared: String?
        var violations: [Violation] = []
        let code = file.tokens.filter { $0.kind != .comment }
        for (index, token) in code.enumerated() {
            if Self.typeWords.contains(token.text), token.kind == .word, index + 1 < code.count {
                declared = code[index + 1].text
            } else if token.isMark("{") {
                enclosing.append(declared)
                declared = nil
            } else if token.isMark("}") {
                _ = enclosing.popLast()
            } else if token.isWord("inlinable"),
                let name = enclosing.lazy.compactMap({ $0 }).first(where: opaque.contains)
            {
                violations.append(
                    Violation(
                        path: file.path, line: token.line,
                        message: "Other modules can't inline this, because \(name) is not usable "
                            + "from inlined code. Write @usableFromInline before \(name)."))
            }
        }
        return violations
    }

    private static let typeWords: Set<String> = ["struct", "class", "enum", "actor", "extension"]

    private static func isChecked(_ file: SourceFile) -> Bool {
        file.isSwift && file.components.first == "Sources" && file.components.count > 2
    }

    /// True for the word of a declaration such as `package final class Name`.
    private static func isOpaqueType(at index: Int, in code: [SwiftToken]) -> Bool {
        let words = typeWords.subtracting(["extension"])
        guard words.contains(code[index].text), code[index].kind == .word, index + 1 < code.count
        else { return false }
        let modifiers: Set<String> = ["final", "indirect", "package", "usableFromInline", "@"]
        let before = code[..<index].reversed().prefix { modifiers.contains($0.text) }
        return before.contains { $0.isWord("package") }
            && !before.contains { $0.isWord("usableFromInline") }
    }
}
