/// One argument of an attribute or a macro.
struct MarkArgument {
    /// The word before the colon.
    let label: String?
    let value: [SwiftToken]
    /// The offset of its first token.
    let offset: Int

    /// The argument as a literal of one line without escapes; nil if it is something else.
    var literal: String? {
        guard value.count == 1, value[0].kind == .string else { return nil }
        return StringLiteral.value(of: value[0].text)
    }

    /// The last name of a key path such as `\Outer.Note.author` or `\.author`; nil if it is
    /// something else.
    var keyPathName: String? {
        guard let first = value.first, first.isMark("\\"), value.count > 2 else { return nil }
        if value[1].isMark(".") { return value.count == 3 && value[2].isName ? value[2].text : nil }
        guard let names = TypeUse(tokens: Array(value.dropFirst())).path, names.count > 1 else {
            return nil
        }
        return names[names.count - 1]
    }
}

extension [SwiftToken] {
    /// The arguments between commas outside brackets.
    var arguments: [MarkArgument] {
        var arguments: [MarkArgument] = []
        var cursor = TokenCursor(self)
        while let first = cursor.current {
            var label: String?
            if first.isName, let colon = cursor.peek(1), colon.isMark(":") {
                label = first.text
                cursor.index += 2
            }
            let start = cursor.index
            while let token = cursor.current, !token.isMark(",") { cursor.skipGroup() }
            let value = Array(cursor.tokens[start..<Swift.min(cursor.index, count)])
            arguments.append(MarkArgument(label: label, value: value, offset: first.offset))
            cursor.advance()
        }
        return arguments
    }

    /// The tokens between the square brackets that enclose all of them; nil if there are none.
    var listElements: [MarkArgument]? {
        guard let first, first.isMark("["), indexAfterGroup(at: 0) == count else { return nil }
        return Array(dropFirst().dropLast()).arguments
    }
}
