/// A position in a list of tokens, which advances as declarations are read.
struct TokenCursor {
    let tokens: [SwiftToken]
    var index = 0

    init(_ tokens: [SwiftToken]) { self.tokens = tokens }

    var current: SwiftToken? { peek(0) }

    func peek(_ ahead: Int) -> SwiftToken? {
        tokens.indices.contains(index + ahead) ? tokens[index + ahead] : nil
    }

    func isAt(mark: String) -> Bool { current?.isMark(mark) ?? false }
    func isAt(word: String) -> Bool { current?.isWord(word) ?? false }

    /// Returns true if a mark follows the previous token without a space.
    func isDirectlyAt(mark: String) -> Bool {
        isAt(mark: mark) && index > 0 && current?.offset == tokens[index - 1].end
    }

    mutating func advance() { index += 1 }

    /// Skips one token, or a bracket with everything up to the matching one.
    ///
    /// - Returns: The tokens between the brackets.
    @discardableResult
    mutating func skipGroup() -> ArraySlice<SwiftToken> {
        guard current != nil else { return [] }
        let start = index
        let isGroup = ["(", "[", "{"].contains { isAt(mark: $0) }
        index = isGroup ? tokens.indexAfterGroup(at: start) ?? tokens.count : start + 1
        return tokens[start..<index].dropFirst().dropLast()
    }

    /// Skips `<…>` if it begins here.
    mutating func skipGenericArguments() {
        guard isAt(mark: "<") else { return }
        var depth = 0
        repeat {
            guard let token = current, !token.isMark("{") else { return }
            if token.isMark("<") { depth += 1 }
            if token.isMark(">") { depth -= 1 }
            skipGroup()
        } while depth > 0
    }

    /// Reads all attributes that begin here, such as `@Name` or `@Module.Name(…)`.
    mutating func readAttributes() -> [AttributeUse] {
        var attributes: [AttributeUse] = []
        while isAt(mark: "@"), let name = peek(1), name.isName {
            let offset = tokens[index].offset
            advance()
            var last = name.text
            advance()
            while isDirectlyAt(mark: "."), let part = peek(1), part.isName {
                last = part.text
                index += 2
            }
            if isDirectlyAt(mark: "<") { skipGenericArguments() }
            var arguments = isDirectlyAt(mark: "(") ? Array(skipGroup()) : []
            if arguments.last?.isMark(",") == true { arguments.removeLast() }
            attributes.append(AttributeUse(name: last, arguments: arguments, offset: offset))
        }
        return attributes
    }

    /// Reads modifiers such as `public` or `private(set)`, up to the introducer of a declaration.
    mutating func readModifiers() -> [Modifier] {
        var modifiers: [Modifier] = []
        while let word = current, word.kind == .word, isModifier(word.text) {
            advance()
            let argument = isDirectlyAt(mark: "(") ? skipGroup().map(\.text).joined() : nil
            modifiers.append(Modifier(name: word.text, argument: argument))
        }
        return modifiers
    }

    /// Returns true for a modifier; `class` is one before `var`, but before a name it introduces a
    /// type.
    private func isModifier(_ word: String) -> Bool {
        guard word == "class" else { return DeclarationWords.modifiers.contains(word) }
        guard let next = peek(1), next.kind == .word else { return false }
        return ["var", "let", "func", "subscript"].contains(next.text)
            || DeclarationWords.modifiers.contains(next.text)
    }
}

/// An attribute `@Name(…)` before a declaration.
struct AttributeUse: Equatable {
    /// The name without the module.
    let name: String
    /// The tokens between the parentheses, without a comma at their end.
    let arguments: [SwiftToken]
    let offset: Int
}

/// A modifier such as `public`, or `private(set)` with the argument `set`.
struct Modifier: Equatable {
    let name: String
    let argument: String?
}

enum DeclarationWords {
    static let types: Set<String> = ["class", "struct", "enum", "actor", "protocol", "extension"]

    /// Words with which a declaration in a class can begin, besides attributes and modifiers.
    static let introducers: Set<String> = types.union([
        "var", "let", "func", "init", "deinit", "subscript", "typealias", "associatedtype", "case",
        "operator", "precedencegroup", "macro", "import",
    ])

    static let modifiers: Set<String> = [
        "open", "public", "package", "internal", "fileprivate", "private", "final", "static",
        "override", "lazy", "weak", "unowned", "required", "convenience", "dynamic", "optional",
        "nonisolated", "isolated", "indirect", "mutating", "nonmutating", "borrowing", "consuming",
        "prefix", "postfix", "infix", "distributed",
    ]
}
