import AnabranchMacroExpansion

/// A rule: shipped code never traps without a message, and never because of data.
struct TrapRule: FileRule {
    func violations(in file: SourceFile) -> [Violation] {
        guard file.isSwift, file.isIn(["Sources", "Server", "Client", "Plugins"]) else {
            return []
        }
        let code = file.tokens.filter { $0.kind != .comment }
        return code.indices.compactMap { index in
            message(at: index, in: code).map {
                Violation(path: file.path, line: code[index].line, message: $0)
            }
        }
    }

    private func message(at index: Int, in code: [SwiftToken]) -> String? {
        let token = code[index]
        guard token.kind == .word, index + 1 < code.count else { return nil }
        if index > 0, code[index - 1].isMark(".") || code[index - 1].isWord("func") { return nil }
        let next = code[index + 1]
        if next.isMark("!"), next.offset == token.end {
            switch token.text {
            case "try": return "try! traps on an error. Throw it on, or handle it."
            case "as": return "as! traps on another type. Use as? and throw what the cause is."
            default: return nil
            }
        }
        guard next.isMark("("), let wanted = Self.argumentsWithMessage[token.text],
            Self.argumentCount(at: index + 1, in: code) < wanted
        else { return nil }
        return "\(token.text) has no message. Say which promise of our own code was broken."
    }

    private static let argumentsWithMessage = [
        "fatalError": 1, "preconditionFailure": 1, "precondition": 2,
    ]

    /// Returns the number of arguments in the parentheses that open at `index`.
    private static func argumentCount(at index: Int, in code: [SwiftToken]) -> Int {
        guard let end = code.indexAfterGroup(at: index), end - index > 2 else { return 0 }
        var (depth, commas) = (0, 0)
        for token in code[index..<end] where token.kind == .mark {
            switch token.text {
            case "(", "[", "{": depth += 1
            case ")", "]", "}": depth -= 1
            case "," where depth == 1: commas += 1
            default: break
            }
        }
        let endsWithComma = code[end - 2].isMark(",")
        return commas + (endsWithComma ? 0 : 1)
    }
}
