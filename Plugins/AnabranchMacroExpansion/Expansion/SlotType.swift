/// The kind of slot that follows from the type of a property.
///
/// A macro sees only the text of a type, so `Colour?` may be an attribute or a to-one relationship.
/// It is read as a relationship, unless its name is that of a standard type or the property is
/// marked `@Attribute`. A wrong guess does not compile, because no subscript of slots fits; the
/// library declares the compiler's message beside the subscripts.
enum SlotType {
    case slot(EntitySlot.Kind)
    case wrong(Diagnostic)

    init(_ type: TypeUse, of property: PropertyDeclaration) {
        let isTransformable = property.has("Transformable")
        let isAttribute = property.has("Attribute") || isTransformable
        let isRelationship = property.has("Relationship")
        let toMany = Self.toMany(type)
        let isToMany = toMany != nil
        if isAttribute, isRelationship || isToMany {
            self = .wrong(Self.contradiction(type, property))
        } else if let diagnostic = Self.diagnostic(about: type, isAttribute: isAttribute) {
            self = .wrong(diagnostic)
        } else if property.isComposite {
            self = Self.composite(type, property)
        } else if isTransformable {
            self = type.wrapped == nil ? .wrong(Self.lacksValue(type)) : .slot(.transformable)
        } else if isAttribute {
            self = .slot(.attribute)
        } else if let toMany {
            self = .slot(toMany)
        } else if isRelationship {
            self = type.wrapped == nil ? .wrong(Self.lacksOptional(type)) : .slot(.toOne)
        } else if let wrapped = type.wrapped, !Self.isStandard(wrapped) {
            self = .slot(.toOne)
        } else {
            self = .slot(.attribute)
        }
    }

    private static func toMany(_ type: TypeUse) -> EntitySlot.Kind? {
        if type.genericArguments(of: "ManagedObjectSet") != nil { return .toMany }
        return type.genericArguments(of: "ManagedObjectList") != nil ? .list : nil
    }

    private static func contradiction(
        _ type: TypeUse, _ property: PropertyDeclaration
    ) -> Diagnostic {
        let isList = toMany(type) == .list
        let mark = property.has("Transformable") ? "@Transformable" : "@Attribute"
        return Diagnostic(
            message: "'\(property.name?.text ?? "")' is an attribute or a relationship: remove "
                + (property.has("Relationship")
                    ? "\(mark) or @Relationship."
                    : "\(mark), since a \(isList ? "ManagedObjectList" : "ManagedObjectSet") "
                        + "is a relationship."),
            offset: property.offset)
    }

    /// A composite attribute, unless the type can't be a struct with elements.
    private static func composite(
        _ type: TypeUse, _ property: PropertyDeclaration
    ) -> SlotType {
        let core = type.wrapped ?? type
        guard !property.has("Transformable"), core.path != nil, !isStandard(core) else {
            return .wrong(
                Diagnostic(
                    message: "A composite attribute has the type of a struct with @Composite: "
                        + "remove '.composite' from '\(property.name?.text ?? "")', or write such "
                        + "a type.", offset: type.offset))
        }
        return .slot(.composite)
    }

    private static func lacksOptional(_ type: TypeUse) -> Diagnostic {
        Diagnostic(
            message: "A to-one relationship is nil where the other end is missing or deleted: "
                + "write '\(type.text)?'.", offset: type.offset, fixIt: append("?", to: type))
    }

    private static func lacksValue(_ type: TypeUse) -> Diagnostic {
        Diagnostic(
            message: "A transformable attribute is nil where there is no value, or none that its "
                + "transformer can read: write '\(type.text)?'.", offset: type.offset,
            fixIt: append("?", to: type))
    }

    /// The error for a type that no property can have; `@Attribute` allows every type that can
    /// conform to AttributeValue.
    private static func diagnostic(about type: TypeUse, isAttribute: Bool) -> Diagnostic? {
        let last = type.tokens[type.tokens.count - 1]
        if last.isMark("!") {
            return Diagnostic(
                message: "A property of an entity is not unwrapped in silence: write '?' "
                    + "instead of '!'.", offset: type.offset,
                fixIt: .init(
                    message: "Replace '!' with '?'", range: last.offset..<last.end, text: "?"))
        }
        let core = type.wrapped ?? type
        if type.wrapped.flatMap(toMany) != nil {
            return Diagnostic(
                message: "A to-many relationship is empty, never nil: write '\(core.text)'.",
                offset: type.offset)
        }
        guard !isAttribute else { return nil }
        if let element = element(ofCollection: core) {
            return Diagnostic(
                message: "A to-many relationship is a 'ManagedObjectSet<\(element)>', an ordered "
                    + "one a 'ManagedObjectList<\(element)>'. For an attribute of a type that "
                    + "conforms to AttributeValue, mark the property with @Attribute, and for one "
                    + "that a transformer makes bytes of, with @Transformable.",
                offset: type.offset)
        }
        let first = core.tokens[0]
        let isComposed = core.tokens.contains { $0.isMark("->") || $0.isMark("&") }
        if first.isMark("(") || first.isMark("[") || first.isMark("~") || isComposed
            || first.isWord("any") || first.isWord("some")
        {
            return Diagnostic(
                message: "'\(type.text)' can't be stored: use a type that conforms to "
                    + "AttributeValue, mark the property @Transformable where a transformer makes "
                    + "bytes of it, or @Transient to keep it out of the store.", offset: type.offset
            )
        }
        return nil
    }

    private static func append(_ text: String, to type: TypeUse) -> Diagnostic.Remedy {
        let end = type.tokens[type.tokens.count - 1].end
        return .init(message: "Make it optional", range: end..<end, text: text)
    }

    /// The element `X` of `[X]`, `Array<X>` and `Set<X>`.
    static func element(ofCollection type: TypeUse) -> String? {
        for name in ["Array", "Set"] {
            if let element = type.genericArguments(of: name) {
                return TypeUse(tokens: element).text
            }
        }
        guard type.tokens.count > 2, type.tokens[0].isMark("["),
            type.tokens[type.tokens.count - 1].isMark("]"),
            !type.tokens.contains(where: { $0.isMark(":") })
        else { return nil }
        return TypeUse(tokens: Array(type.tokens.dropFirst().dropLast())).text
    }

    private static func isStandard(_ type: TypeUse) -> Bool {
        guard let path = type.path, let name = path.last else { return false }
        return standardTypes.contains(name) && (path.count == 1 || modules.contains(path[0]))
    }

    /// Standard types that are not classes, whether or not an attribute can have them.
    private static let standardTypes: Set<String> = [
        "Bool", "Character", "Data", "Date", "Decimal", "Double", "ExactDecimal", "Float",
        "Float16", "Int", "Int8", "Int16", "Int32", "Int64", "Int128", "String", "Substring",
        "TimeInterval", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "UInt128", "URL", "UUID",
    ]

    private static let modules: Set<String> = [
        "Swift", "Foundation", "FoundationEssentials", "Anabranch", "AnabranchReplication",
    ]
}

extension PropertyDeclaration {
    /// True for the mark `@Attribute(.composite)`.
    var isComposite: Bool {
        let arguments = mark("Attribute")?.arguments.arguments ?? []
        return arguments.contains { argument in
            argument.label == nil && argument.value.count == 2 && argument.value[0].isMark(".")
                && argument.value[1].text == "composite"
        }
    }
}
