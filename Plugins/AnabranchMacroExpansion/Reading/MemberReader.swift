/// Finds the properties in the body of a type and skips all other members.
///
/// Swift does not mark the end of an initial value. The reader assumes it before a line that begins
/// with a word that can only begin a declaration.
struct MemberReader {
    private var cursor: TokenCursor
    /// The number of open `#if` directives.
    private var conditions = 0
    private var properties: [PropertyDeclaration] = []

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
        default: return skipToBoundary(withBody: false)
        }
        while let token = cursor.current, !token.startsLine { cursor.advance() }
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
            property.hasInitialValue = true
        } else if cursor.isAt(mark: "{") {
            property.accessors = Self.accessors(in: cursor.skipGroup())
        } else if cursor.isAt(mark: ",") {
            property.isList = true
        }
        if property.hasInitialValue || property.isList { skipToBoundary(withBody: false) }
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
