/// Writes the member in which a class declares its entity.
///
/// The code repeats the arguments of the marks and the initial values as they are written, so the
/// compiler gives them the types that the library declares:
///
/// ```swift
/// nonisolated override class var entityDeclaration: Anabranch.ClassDeclaration? {
///     var _entity = Anabranch.ClassDeclaration(of: Note.self)
///     _entity.attribute(
///         "visits", Int64.self, AttributeSettings(mergeRule: .counter), initially: { 0 })
///     _entity.toOne(
///         "folder", Folder.self,
///         RelationshipSettings(inverse: .property("notes", of: Folder.self)))
///     return _entity
/// }
/// ```
struct DeclarationWriter {
    private let entity: EntityClass
    private let settings: String

    init(_ entity: EntityClass, settings: String) {
        self.entity = entity
        self.settings = settings
    }

    var source: String {
        let statements =
            entity.slots.map(statement) + entity.fetchedProperties.map(statement)
            + entity.constraints.map(statement)
        let arguments = Self.joined(["of: \(entity.name).self", settings])
        let type = "Anabranch.ClassDeclaration"
        let lines =
            ["\(statements.isEmpty ? "let" : "var") _entity = \(type)(\(arguments))"]
            + statements + ["return _entity"]
        let start = "nonisolated \(entity.access)override class var entityDeclaration"
        return "\(start): \(type)? {\n"
            + lines.map { "    \($0)\n" }.joined() + "}"
    }

    private func statement(_ slot: EntitySlot) -> String {
        let name = StringLiteral.text(of: slot.name)
        let arguments: [String]
        switch slot.kind {
        case .attribute:
            arguments = [
                name, "\(slot.type.text).self", attributeSettings(of: slot),
                initialValue(of: slot),
            ]
        case .composite:
            arguments = [name, "\(slot.type.text).self", attributeSettings(of: slot)]
        case .transformable:
            arguments = [
                name, markArguments("Transformable", of: slot), attributeSettings(of: slot),
            ]
        case .toOne, .toMany, .list:
            arguments = [name, "\(slot.destination).self", relationshipSettings(of: slot)]
        }
        return "_entity.\(slot.kind.declaringMethod)(\(Self.joined(arguments)))"
    }

    private func statement(_ fetched: FetchedPropertyUse) -> String {
        let arguments = entity.declaration.text(
            of: fetched.property.mark("FetchedProperty")?.arguments ?? [])
        let name = StringLiteral.text(of: fetched.name)
        return "_entity.fetched(\(Self.joined([name, "\(fetched.destination).self", arguments])))"
    }

    private func statement(_ constraint: EntityConstraint) -> String {
        let names = constraint.properties.map { StringLiteral.text(of: $0) }
        let method = constraint.kind == .unique ? "unique" : "index"
        return "_entity.\(method)([\(names.joined(separator: ", "))])"
    }

    private static func joined(_ arguments: [String]) -> String {
        arguments.filter { !$0.isEmpty }.joined(separator: ", ")
    }

    private func initialValue(of slot: EntitySlot) -> String {
        let text = entity.declaration.text(of: slot.property.initialValue)
        return text.isEmpty ? "" : "initially: { \(text) }"
    }

    /// The arguments of a mark as they are written.
    private func markArguments(_ name: String, of slot: EntitySlot) -> String {
        entity.declaration.text(of: slot.property.mark(name)?.arguments ?? [])
    }

    private func attributeSettings(of slot: EntitySlot) -> String {
        let arguments = markArguments("Attribute", of: slot)
        return arguments.isEmpty ? "" : "Anabranch.AttributeSettings(\(arguments))"
    }

    private func relationshipSettings(of slot: EntitySlot) -> String {
        let arguments = relationshipArguments(of: slot)
        return arguments.isEmpty ? "" : "Anabranch.RelationshipSettings(\(arguments))"
    }

    /// The arguments of `@Relationship`, with the inverse in the form of the library.
    private func relationshipArguments(of slot: EntitySlot) -> String {
        let tokens = slot.property.mark("Relationship")?.arguments ?? []
        guard let inverse = tokens.arguments.first(where: { $0.label == "inverse" }),
            let form = InverseArgument(inverse), let first = tokens.first, let last = tokens.last,
            let start = inverse.value.first?.offset, let end = inverse.value.last?.end
        else { return entity.declaration.text(of: tokens) }
        // A key path to a property of the main actor can't be formed here. The compiler has checked
        // it at the mark.
        let root = entity.declaration.text(of: Array(inverse.value.dropFirst().dropLast(2)))
        let value =
            switch form {
            case .nothing: ".nothing"
            case .named(let name): ".property(\(StringLiteral.text(of: name)))"
            case .keyPath(let name): ".property(\(StringLiteral.text(of: name)), of: \(root).self)"
            }
        return entity.declaration.text(of: first.offset..<start) + value
            + entity.declaration.text(of: end..<last.end)
    }
}

extension EntitySlot {
    /// The class at the other end of a relationship, as it is written.
    fileprivate var destination: String {
        let set = type.genericArguments(of: "ManagedObjectSet")
        let element = set ?? type.genericArguments(of: "ManagedObjectList")
        return element.map { TypeUse(tokens: $0).text } ?? (type.wrapped ?? type).text
    }
}

extension EntitySlot.Kind {
    /// The method of `ClassDeclaration` that adds a property of this kind.
    fileprivate var declaringMethod: String {
        switch self {
        case .attribute: "attribute"
        case .transformable: "transformable"
        case .composite: "composite"
        case .toOne: "toOne"
        case .toMany: "toMany"
        case .list: "toList"
        }
    }
}
