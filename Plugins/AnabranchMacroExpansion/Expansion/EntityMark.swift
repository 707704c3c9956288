/// The marks `@Attribute`, `@Transformable`, `@Relationship` and `@Transient`, which `@Entity`
/// reads.
///
/// They generate no code; they only check that they are used in the right place.
enum EntityMark {
    static let typeName = "EntityMark"

    /// Checks the place of a mark.
    ///
    /// - Parameters:
    ///   - name: The mark, without `@`.
    ///   - context: The declarations that enclose the property, the innermost first, without
    /// bodies.
    static func check(_ name: String, on source: String, in context: [String]) -> Expansion {
        let parent = context.first.flatMap { TypeDeclaration(source: $0) }
        let isInStruct = parent?.has("Composite") == true && name == "Attribute"
        guard let parent, parent.has("Entity") || isInStruct else {
            let places =
                name == "Attribute"
                ? "class with @Entity or a struct with @Composite" : "class with @Entity"
            return Expansion(
                attributeComplaint: Diagnostic(
                    message: "@\(name) says something only about a property in the body of a "
                        + "\(places): remove it.", offset: 0))
        }
        var reader = MemberReader(SwiftLexer.code(of: source))
        let property = reader.readAll().first
        let isInPlace = property.map { name == "Transient" ? $0.isStored : $0.isForEntity }
        guard isInPlace == true else {
            return Expansion(
                attributeComplaint: Diagnostic(
                    message: name == "Transient"
                        ? "@Transient is for stored properties of objects: remove it."
                        : "@\(name) is for properties of the entity, and this is none: remove it.",
                    offset: 0))
        }
        return Expansion()
    }
}

extension PropertyDeclaration {
    fileprivate var isStored: Bool {
        accessors != .computed && !["static", "class"].contains { has(modifier: $0) }
    }
}
