/// A type as it is written after a colon.
struct TypeUse: Equatable {
    let tokens: [SwiftToken]

    var offset: Int { tokens[0].offset }

    /// The type's text without comments, with the usual spaces.
    var text: String {
        var text = ""
        var last: SwiftToken?
        for token in tokens {
            let isApart = last.map { Self.isSpace(between: $0, and: token) } ?? false
            text += (isApart ? " " : "") + token.sourceText
            last = token
        }
        return text
    }

    private static func isSpace(between left: SwiftToken, and right: SwiftToken) -> Bool {
        let arrows: Set = ["->", "&"]
        let isAfterWord = left.isName || left.isMark(")")
        return isAfterWord && right.isName || left.isMark(",") || left.isMark(":")
            || left.kind == .mark && arrows.contains(left.text)
            || right.kind == .mark && arrows.contains(right.text)
    }

    /// The type `X` of `X?` and `Optional<X>`; nil if the type is not optional.
    var wrapped: TypeUse? {
        if tokens[tokens.count - 1].isMark("?") {
            return tokens.count > 1 ? TypeUse(tokens: tokens.dropLast()) : nil
        }
        guard let arguments = genericArguments(of: "Optional") else { return nil }
        return TypeUse(tokens: arguments)
    }

    /// The names of a type such as `["Swift", "Int"]`; nil if the type has other parts.
    var path: [String]? {
        var names: [String] = []
        for (place, token) in tokens.enumerated() {
            if place.isMultiple(of: 2) {
                guard token.isName else { return nil }
                names.append(token.text)
            } else if !token.isMark(".") {
                return nil
            }
        }
        return tokens.count.isMultiple(of: 2) ? nil : names
    }

    /// The tokens between the angle brackets of `Name<…>` or `Module.Name<…>`.
    func genericArguments(of name: String) -> [SwiftToken]? {
        guard let open = tokens.firstIndex(where: { $0.isMark("<") }), open > 0,
            tokens[tokens.count - 1].isMark(">"), open + 2 < tokens.count,
            TypeUse(tokens: Array(tokens[..<open])).path?.last == name
        else { return nil }
        return Array(tokens[(open + 1)..<(tokens.count - 1)])
    }
}

extension SwiftToken {
    /// The text as in the source.
    var sourceText: String { kind == .quotedWord ? "`\(text)`" : text }
}

extension TokenCursor {
    /// Reads the type that begins here; nil if there is none.
    mutating func readType() -> TypeUse? {
        let start = index
        var isWhole = false
        while !isWhole {
            skipTypePrefixes()
            guard skipTypeName() else { break }
            isWhole = !skipTypeConnection()
        }
        return index > start ? TypeUse(tokens: Array(tokens[start..<index])) : nil
    }

    private mutating func skipTypePrefixes() {
        let words: Set = [
            "any", "some", "inout", "borrowing", "consuming", "sending", "each", "repeat",
        ]
        while true {
            if isAt(mark: "@") {
                guard !readAttributes().isEmpty else { return advance() }
            } else if isAt(mark: "~") {
                advance()
            } else if let word = current, word.kind == .word, words.contains(word.text) {
                advance()
            } else {
                return
            }
        }
    }

    /// Skips a name with its suffixes, or a type in brackets.
    private mutating func skipTypeName() -> Bool {
        guard let first = current else { return false }
        if first.isMark("(") || first.isMark("[") {
            skipGroup()
        } else if first.isName {
            advance()
            skipGenericArguments()
        } else {
            return false
        }
        while true {
            if isDirectlyAt(mark: "?") || isDirectlyAt(mark: "!") {
                advance()
            } else if isAt(mark: "."), let name = peek(1), name.isName {
                index += 2
                skipGenericArguments()
            } else {
                return true
            }
        }
    }

    /// Skips `&`, or the arrow of a function with its `async` and `throws`.
    ///
    /// - Returns: `true` if there was one. Then the type continues here.
    private mutating func skipTypeConnection() -> Bool {
        let start = index
        while isAt(word: "async") || isAt(word: "throws") || isAt(word: "rethrows") {
            advance()
            if isDirectlyAt(mark: "(") { skipGroup() }
        }
        guard isAt(mark: "->") || isAt(mark: "&") else {
            index = start
            return false
        }
        advance()
        return true
    }
}
