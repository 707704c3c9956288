/// A place in a list of tokens that moves on as declarations are read.
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

    /// Whether a mark follows the token before without a space.
    func isDirectlyAt(mark: String) -> Bool {
        isAt(mark: mark) && index > 0 && current?.offset == tokens[index - 1].end
    }

    mutating func advance() { index += 1 }

    /// Skips one token; of a bracket, all up to the one that matches it.
    ///
    /// - Returns: What stood in the brackets.
    @discardableResult
    mutating func skipGroup() -> ArraySlice<SwiftToken> {
        guard current != nil else { return [] }
        let start = index
        let isGroup = ["(", "[", "{"].contains { isAt(mark: $0) }
        index = isGroup ? tokens.indexAfterGroup(at: start) ?? tokens.count : start + 1
        return tokens[start..<index].dropFirst().dropLast()
    }

    /// Skips `<…>` where it stands here.
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

    /// Reads `@Name`, `@Module.Name(…)` and the like, as many as stand here.
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
            let arguments = isDirectlyAt(mark: "(") ? Array(skipGroup()) : []
            attributes.append(AttributeUse(name: last, arguments: arguments, offset: offset))
        }
        return attributes
    }

    /// Reads `public`, `private(set)` and the like, up to the word that introduces a declaration.
    mutating func readModifiers() -> [Modifier] {
        var modifiers: [Modifier] = []
        while let word = current, word.kind == .word, isModifier(word.text) {
            advance()
            let argument = isDirectlyAt(mark: "(") ? skipGroup().map(\.text).joined() : nil
            modifiers.append(Modifier(name: word.text, argument: argument))
        }
        return modifiers
    }

    /// `class` is a modifier before `var`, and introduces a type before a name.
    private func isModifier(_ word: String) -> Bool {
        guard word == "class" else { return DeclarationWords.modifiers.contains(word) }
        guard let next = peek(1), next.kind == .word else { return false }
        return ["var", "let", "func", "subscript"].contains(next.text)
            || DeclarationWords.modifiers.contains(next.text)
    }
}

/// `@Name(…)` before a declaration.
struct AttributeUse: Equatable {
    /// Without the module.
    let name: String
    let arguments: [SwiftToken]
    let offset: Int
}

/// `public`, or `private(set)`, whose argument is `set`.
struct Modifier: Equatable {
    let name: String
    let argument: String?
}

enum DeclarationWords {
    static let types: Set<String> = ["class", "struct", "enum", "actor", "protocol", "extension"]

    /// What a declaration in a class can begin with, beside attributes and modifiers.
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
