/// The arguments of `@Entity("Name", isAbstract: true)`.
struct EntityArguments {
    /// The name of the entity, if it is given.
    var name: String?
    /// The other arguments, as they are written.
    var settings = ""
    /// The error of a name that can't be read. The offset is counted from the start of the
    /// attribute.
    var complaint: Diagnostic?

    init(_ attribute: String) {
        var cursor = TokenCursor(SwiftLexer.code(of: attribute))
        let tokens = cursor.readAttributes().first?.arguments ?? []
        let arguments = tokens.arguments
        guard let first = arguments.first else { return }
        if first.label == nil {
            guard let name = first.literal, !name.isEmpty else {
                complaint = Self.complaint(at: first)
                return
            }
            self.name = name
        }
        let rest = first.label == nil ? arguments.dropFirst() : arguments[...]
        if let second = rest.first(where: { $0.label == nil }) {
            complaint = Self.complaint(at: second)
        } else if let start = rest.first?.offset, let end = tokens.last?.end {
            settings = String(decoding: Array(attribute.utf8)[start..<end], as: UTF8.self)
        }
    }

    private static func complaint(at argument: MarkArgument) -> Diagnostic {
        Diagnostic(
            message: "The name of an entity is one literal without escapes: write "
                + "@Entity(\"Name\").", offset: argument.offset)
    }
}
