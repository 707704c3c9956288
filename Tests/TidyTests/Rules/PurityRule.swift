import AnabranchMacroExpansion

/// A rule: the pure modules use no clock, no randomness and no file.
///
/// For this reason one seed replays a simulation, and a merge has the same result everywhere. The
/// import table excludes most of it; this rule excludes what the standard library and Foundation
/// contain.
struct PurityRule: FileRule {
    static let pureModules: Set<Substring> = ["AnabranchReplication", "AnabranchProtocol"]

    func violations(in file: SourceFile) -> [Violation] {
        guard file.isSwift, file.components.count > 2, file.components[0] == "Sources",
            Self.pureModules.contains(file.components[1])
        else { return [] }
        let code = file.tokens.filter { $0.kind != .comment }
        return code.indices.filter { Self.isImpure(at: $0, in: code) }.map { index in
            Violation(
                path: file.path, line: code[index].line,
                message: "\(code[index].text) reads a clock, randomness or the system in a pure "
                    + "module. Let the caller pass in what it gives.")
        }
    }

    private static func isImpure(at index: Int, in code: [SwiftToken]) -> Bool {
        let token = code[index]
        guard token.kind == .word else { return false }
        if impureWords.contains(token.text) || token.text.hasPrefix("randombytes") { return true }
        if token.text == "now" { return index > 0 && code[index - 1].isMark(".") }
        guard index + 1 < code.count, code[index + 1].isMark("("),
            index == 0 || !code[index - 1].isWord("func"),
            let end = code.indexAfterGroup(at: index + 1)
        else { return false }
        let arguments = code[(index + 2)..<(end - 1)]
        if impureWhenEmpty.contains(token.text) { return arguments.isEmpty }
        let isRandom = randomCalls.contains(token.text)
        return isRandom && !arguments.contains { $0.isWord("using") }
    }

    private static let impureWords: Set<String> = [
        "ContinuousClock", "SuspendingClock", "SystemRandomNumberGenerator", "FileManager",
        "FileHandle", "ProcessInfo", "Task", "print", "debugPrint",
    ]
    private static let impureWhenEmpty: Set<String> = ["Date", "UUID"]
    private static let randomCalls: Set<String> = [
        "random", "randomElement", "shuffle", "shuffled",
    ]
}
