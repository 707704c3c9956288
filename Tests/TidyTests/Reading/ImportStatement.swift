import AnabranchMacroExpansion

/// One `import` of a Swift file, whatever its access level, attributes or kind.
struct ImportStatement: Equatable {
    /// The name of the module alone: `Foundation` for `import struct Foundation.Date`.
    let module: String
    /// The line number, from 1.
    let line: Int
    /// The conditions of the `#if` blocks around it, outermost first, without spaces. In an
    /// `#else` branch the conditions before it appear as `!(…)`.
    let conditions: [String]
}

extension ImportStatement {
    static func all(in tokens: [SwiftToken]) -> [ImportStatement] {
        let code = tokens.filter { $0.kind != .comment }
        var (found, blocks) = ([ImportStatement](), ConditionBlocks())
        for (index, token) in code.enumerated() {
            if token.kind == .directive {
                let rest = code[(index + 1)...].prefix { $0.line == token.line }
                blocks.read(token.text, condition: rest.map(\.text).joined())
            } else if token.isWord("import"), index == 0 || !code[index - 1].isMark("."),
                let module = module(after: index, in: code)
            {
                found.append(
                    ImportStatement(
                        module: module, line: token.line, conditions: blocks.conditions))
            }
        }
        return found
    }

    private static func module(after index: Int, in code: [SwiftToken]) -> String? {
        var rest = code[(index + 1)...].prefix { $0.line == code[index].line }
        if rest.count > 1, let first = rest.first, kinds.contains(first.text) { rest.removeFirst() }
        guard let name = rest.first, name.kind == .word || name.kind == .quotedWord else {
            return nil
        }
        return name.text
    }

    private static let kinds: Set<String> = [
        "struct", "class", "enum", "protocol", "typealias", "func", "let", "var",
    ]
}

/// The `#if` blocks that are open at one line of a file.
private struct ConditionBlocks {
    private var stack: [[String]] = []

    var conditions: [String] { stack.flatMap { $0 } }

    mutating func read(_ directive: String, condition: String) {
        switch directive {
        case "#if": stack.append([condition])
        case "#elseif": replace { Self.refused($0) + [condition] }
        case "#else": replace(by: Self.refused)
        case "#endif": _ = stack.popLast()
        default: break
        }
    }

    private mutating func replace(by next: ([String]) -> [String]) {
        guard let last = stack.popLast() else { return }
        stack.append(next(last))
    }

    private static func refused(_ branch: [String]) -> [String] {
        branch.map { $0.hasPrefix("!(") ? $0 : "!(\($0))" }
    }
}
