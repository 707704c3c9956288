/// Finds the properties and the freestanding macros in the body of a type, and skips all other
/// members.
///
/// Swift does not mark the end of an initial value. The reader assumes it before a line that begins
/// with a word that can only begin a declaration.
struct MemberReader {
    private var cursor: TokenCursor
    /// The number of open `#if` directives.
    private var conditions = 0
    private var properties: [PropertyDeclaration] = []
    /// The uses of freestanding macros that have been read.
    private(set) var macros: [FreestandingMacro] = []

    /// Creates a reader.
    ///
    /// - Parameter tokens: The tokens of the body, without its braces.
    init(_ tokens: [SwiftToken]) { cursor = TokenCursor(tokens) }

    mutating func readAll() -> [PropertyDeclaration] {
        while let token = cursor.current {
            if token.kind == .directive {
                readDirective(token)
            } else {
                readMember()
            }
        }
        return properties
    }

    private mutating func readDirective(_ directive: SwiftToken) {
        cursor.advance()
        switch directive.text {
        case "#if": conditions += 1
        case "#endif": conditions = max(0, conditions - 1)
        case "#elseif", "#else": break
        default: return readMacro(directive)
        }
        while let token = cursor.current, !token.startsLine { cursor.advance() }
    }

    /// Reads a macro `#Name<…>(…)`. Its name may have a module before it.
    private mutating func readMacro(_ directive: SwiftToken) {
        var name = String(directive.text.dropFirst())
        while cursor.isDirectlyAt(mark: "."), let part = cursor.peek(1), part.isName {
            name = part.text
            cursor.index += 2
        }
        if cursor.isDirectlyAt(mark: "<") { cursor.skipGenericArguments() }
        let arguments = cursor.isDirectlyAt(mark: "(") ? Array(cursor.skipGroup()) : []
        macros.append(
            FreestandingMacro(
                name: name, arguments: arguments, offset: directive.offset,
                isConditional: conditions > 0))
        if let token = cursor.current, !isBoundary(token) { skipToBoundary(withBody: false) }
    }

    private mutating func readMember() {
        let start = cursor.index
        let first = cursor.current?.offset
        let attributes = cursor.readAttributes()
        let modifiers = cursor.readModifiers()
        guard let introducer = cursor.current, introducer.isWord("var") || introducer.isWord("let")
        else {
            skipToBoundary(withBody: true)
            if cursor.index == start { cursor.advance() }
            return
        }
        cursor.advance()
        var property = PropertyDeclaration(
            attributes: attributes, modifiers: modifiers, introducer: introducer,
            isConditional: conditions > 0, firstOffset: first)
        readBinding(of: &property)
        properties.append(property)
    }

    private mutating func readBinding(of property: inout PropertyDeclaration) {
        if let name = cursor.current, name.isName {
            property.name = name
            cursor.advance()
        } else {
            cursor.skipGroup()
        }
        if cursor.isAt(mark: ":") {
            cursor.advance()
            property.type = cursor.readType()
        }
        if cursor.isAt(mark: "=") {
            cursor.advance()
            readInitialValue(of: &property)
        } else if cursor.isAt(mark: "{") {
            property.accessors = Self.accessors(in: cursor.skipGroup())
        } else if cursor.isAt(mark: ",") {
            property.isList = true
        }
        if property.isList { skipToBoundary(withBody: false) }
    }

    /// Reads up to the end of the declaration, to observers, or to a comma before another property.
    private mutating func readInitialValue(of property: inout PropertyDeclaration) {
        let start = cursor.index
        while let token = cursor.current {
            let isFirst = cursor.index == start
            if token.isMark(";") || !isFirst && isBoundary(token) { break }
            if !isFirst, token.isMark("{") {
                var ahead = cursor
                let accessors = Self.accessors(in: ahead.skipGroup())
                if accessors == .observers {
                    property.accessors = accessors
                    property.initialValue = Array(cursor.tokens[start..<cursor.index])
                    cursor = ahead
                    return
                }
            }
            if token.isMark(","), beginsProperty(after: token) {
                property.isList = true
                break
            }
            cursor.skipGroup()
        }
        property.initialValue = Array(cursor.tokens[start..<cursor.index])
        if cursor.isAt(mark: ";") { cursor.advance() }
    }

    /// Returns true if a name with a type or a value follows; `A<B, C>()` has a comma without them.
    private func beginsProperty(after comma: SwiftToken) -> Bool {
        guard let name = cursor.peek(1), name.isName, let next = cursor.peek(2) else {
            return false
        }
        return next.isMark(":") || next.isMark("=")
    }

    private static func accessors(in body: ArraySlice<SwiftToken>) -> PropertyDeclaration.Accessors
    {
        var cursor = TokenCursor(Array(body))
        _ = cursor.readAttributes()
        return cursor.isAt(word: "willSet") || cursor.isAt(word: "didSet") ? .observers : .computed
    }

    /// Skips the rest of a member, and a semicolon after it.
    ///
    /// - Parameter withBody: True if the first braces end the member, as they do in a function.
    private mutating func skipToBoundary(withBody: Bool) {
        var isFirst = true
        while let token = cursor.current {
            if token.isMark(";") { return cursor.advance() }
            if !isFirst, isBoundary(token) { return }
            let isBody = token.isMark("{")
            cursor.skipGroup()
            if withBody, isBody { return }
            isFirst = false
        }
    }

    private func isBoundary(_ token: SwiftToken) -> Bool {
        guard token.startsLine else { return false }
        if token.kind == .directive { return true }
        if let last = cursor.peek(-1), last.kind == .mark, Self.connections.contains(last.text) {
            return false
        }
        if token.isMark("@") { return true }
        return token.kind == .word
            && (DeclarationWords.introducers.contains(token.text)
                || DeclarationWords.modifiers.contains(token.text))
    }

    /// Marks after which a line continues on the next line.
    private static let connections: Set<String> = [
        ",", ":", "=", "->", "&", "+", "-", "*", "/", "%", "|", "^", "<", ".",
    ]
}

/// A use of a macro among the members of a type, such as `#Unique<Person>([\.name])`.
struct FreestandingMacro {
    /// The name without `#` and the module.
    let name: String
    let arguments: [SwiftToken]
    let offset: Int
    /// True between `#if` and `#endif`.
    let isConditional: Bool
}
