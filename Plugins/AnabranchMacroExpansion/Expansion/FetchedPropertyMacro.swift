/// The macro `@FetchedProperty("name == $FETCH_SOURCE.name") var homonyms: [Person]`: generates the
/// accessor of one property.
enum FetchedPropertyMacro {
    static let typeName = "FetchedPropertyMacro"

    /// - Parameters:
    ///   - source: The property.
    ///   - context: The declarations that enclose the property, the innermost first, without
    ///     bodies.
    static func accessors(of source: String, in context: [String]) -> Expansion {
        let parent = context.first.flatMap { TypeDeclaration(source: $0) }
        guard let parent, parent.has("Entity") else {
            return Expansion(
                attributeComplaint: Diagnostic(
                    message: "@FetchedProperty is for a property in the body of a class with "
                        + "@Entity: remove it.", offset: 0))
        }
        var reader = MemberReader(SwiftLexer.code(of: source))
        guard let name = reader.readAll().first?.name else { return Expansion() }
        return Expansion(
            source: "{\n    get { self[fetched: \(StringLiteral.text(of: name.text))] }\n}")
    }
}

/// A property of a class that is marked `@FetchedProperty`.
struct FetchedPropertyUse {
    let name: String
    /// The class of the objects, as it is written.
    let destination: String
    let property: PropertyDeclaration

    /// Finds the fetched properties of a class, with an error for each that is no array.
    static func all(
        in properties: [PropertyDeclaration]
    ) -> (uses: [FetchedPropertyUse], diagnostics: [Diagnostic]) {
        var uses: [FetchedPropertyUse] = []
        var diagnostics: [Diagnostic] = []
        for property in properties where property.has("FetchedProperty") {
            guard let name = property.name, let type = property.type,
                let destination = SlotType.element(ofCollection: type), type.tokens[0].isMark("[")
            else {
                diagnostics.append(
                    Diagnostic(
                        message: "A fetched property is an array of objects: write "
                            + "'var \(property.name?.text ?? "objects"): [Note]'.",
                        offset: property.offset))
                continue
            }
            uses.append(
                FetchedPropertyUse(name: name.text, destination: destination, property: property))
        }
        return (uses, diagnostics)
    }
}
