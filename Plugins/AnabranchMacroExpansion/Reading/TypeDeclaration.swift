/// A declaration of a type, with the parts that a macro needs.
struct TypeDeclaration {
    let attributes: [AttributeUse]
    let modifiers: [Modifier]
    /// The token `class`, `struct` and so on.
    let introducer: SwiftToken
    let name: SwiftToken
    let isGeneric: Bool
    /// The inherited types; a superclass comes first.
    let inherited: [TypeUse]
    let properties: [PropertyDeclaration]
    /// The freestanding macros among the members.
    let macros: [FreestandingMacro]
    /// True if the body has an initializer that subclasses have too.
    let hasRequiredInitializer: Bool
    private let bytes: [UInt8]

    /// Parses a declaration; `nil` if the source does not declare a type.
    init?(source: String) {
        bytes = Array(source.utf8)
        var cursor = TokenCursor(SwiftLexer.code(of: source))
        attributes = cursor.readAttributes()
        modifiers = cursor.readModifiers()
        guard let introducer = cursor.current, introducer.kind == .word,
            DeclarationWords.types.contains(introducer.text), let name = cursor.peek(1),
            name.isName
        else { return nil }
        self.introducer = introducer
        self.name = name
        cursor.index += 2
        isGeneric = cursor.isAt(mark: "<")
        cursor.skipGenericArguments()
        inherited = Self.readInherited(&cursor)
        while cursor.current != nil, !cursor.isAt(mark: "{") { cursor.skipGroup() }
        let body = Array(cursor.skipGroup())
        hasRequiredInitializer = body.contains { $0.isWord("required") }
        var reader = MemberReader(body)
        properties = reader.readAll()
        macros = reader.macros
    }

    func has(_ attribute: String) -> Bool { attributes.contains { $0.name == attribute } }

    /// The source from the first to the last of some tokens, as it is written.
    func text(of tokens: [SwiftToken]) -> String {
        guard let first = tokens.first, let last = tokens.last else { return "" }
        return text(of: first.offset..<last.end)
    }

    /// The source in a range of offsets.
    func text(of range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }

    private static func readInherited(_ cursor: inout TokenCursor) -> [TypeUse] {
        guard cursor.isAt(mark: ":") else { return [] }
        var types: [TypeUse] = []
        repeat {
            cursor.advance()
            guard let type = cursor.readType() else { break }
            types.append(type)
        } while cursor.isAt(mark: ",")
        return types
    }
}
