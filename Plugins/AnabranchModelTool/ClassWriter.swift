import AnabranchModel
import Foundation

/// Writes the Swift classes of a model, and the model itself.
///
/// The classes use the accessors of slots. Because the model is included, a program needs no model
/// file at run time. The text depends only on the model, so a build without a change of the model
/// changes nothing.
struct ClassWriter {
    let model: ManagedObjectModel
    /// The name of the type that contains the model and the list of classes.
    let title: String

    /// Creates a writer.
    ///
    /// - Parameter fileName: The model's file name without its extension. Its words form the title,
    ///   which ends in `Model`: `my notes` gives `MyNotesModel`, `My Model` gives `MyModel`.
    init(model: ManagedObjectModel, fileName: String) {
        self.model = model
        let words = fileName.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        let name = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        title = name.hasSuffix("Model") ? name : name + "Model"
    }

    /// The source file: a class for every entity, then the model with a list of the classes.
    func source() -> String {
        var parts = [
            "// Generated from the model. What is changed here is lost at the next build.\n\n"
                + "public import Anabranch\n\(foundationImport)"
        ]
        parts += compositeSources()
        for entity in model.entities { parts.append(source(of: entity)) }
        parts.append(modelSource())
        return parts.joined(separator: "\n\n") + "\n"
    }

    /// The import of Foundation; public if a property has a type of Foundation, as a strict
    /// compiler requires.
    private var foundationImport: String {
        let types: Set<AttributeType> = [.date, .decimal, .binary, .uuid, .uri]
        let isNamed = model.entities.contains { entity in
            entity.attributes.contains { attribute in
                types.contains(attribute.type)
                    || TransformedType(attribute)?.isFoundations ?? false
            }
        }
        return (isNamed ? "public " : "") + "import Foundation"
    }

    private func source(of entity: EntityDescription) -> String {
        let parent = entity.superentity.map { name(of: $0) } ?? "ManagedObject"
        let own = entity.slots.filter { $0.entity == entity }
        var lines = [
            "nonisolated open class \(name(of: entity)): \(parent) {",
            "    open override class var entityName: String { \(literal(entity.name)) }",
            "    open override class var slotNames: [String] {",
            "        \(slotNames(own, of: entity))",
            "    }",
        ]
        let accessors =
            own.filter { $0.attribute?.isElement != true }.map(accessor)
            + entity.compositeAttributes.filter { $0.entity == entity }.map(accessor)
        for accessor in accessors {
            lines += (accessor.isEmpty ? [] : [""]) + accessor.map { "    " + $0 }
        }
        for property in entity.fetchedProperties where property.entity == entity {
            let type = "[\(name(of: property.destination))]"
            lines += [
                "", "    public var \(identifier(property.name)): \(type) {",
                "        self[fetched: \(literal(property.name))]", "    }",
            ]
        }
        return (lines + ["}"]).joined(separator: "\n")
    }

    private func slotNames(_ own: [PropertyDescription], of entity: EntityDescription) -> String {
        let names = "[" + own.map { literal($0.name) }.joined(separator: ", ") + "]"
        return entity.superentity == nil ? names : "super.slotNames + " + names
    }

    private func accessor(of property: PropertyDescription) -> [String] {
        let slot = property.slot
        switch property {
        case .attribute(let attribute):
            if let type = TransformedType(attribute) {
                return stored(
                    attribute.name, type.source, "\(type.label): \(slot)",
                    access: type.isStandard ? "public " : "")
            }
            guard let type = type(of: attribute) else { return [] }
            if attribute.isDerived {
                let name = identifier(attribute.name)
                return ["public var \(name): \(type) { self[slot: \(slot)] }"]
            }
            return stored(attribute.name, type, "slot: \(slot)")
        case .relationship(let relationship):
            let destination = name(of: relationship.destination)
            guard relationship.isToMany else {
                return stored(relationship.name, destination + "?", "toOne: \(slot)")
            }
            let property = identifier(relationship.name)
            let (type, index) =
                relationship.isOrdered
                ? ("ManagedObjectList", "list") : ("ManagedObjectSet", "toMany")
            return ["public var \(property): \(type)<\(destination)> { self[\(index): \(slot)] }"]
        }
    }

    func stored(
        _ name: String, _ type: String, _ index: String, access: String = "public "
    ) -> [String] {
        [
            "\(access)var \(identifier(name)): \(type) {", "    get { self[\(index)] }",
            "    set { self[\(index)] = newValue }", "}",
        ]
    }

    /// The Swift type of an attribute.
    ///
    /// - Returns: `nil` for an attribute without a type, which is read and written by name.
    private func type(of attribute: AttributeDescription) -> String? {
        guard attribute.type != .transformable else { return nil }
        return Self.type(of: attribute.type).map { $0 + (attribute.isOptional ? "?" : "") }
    }

    /// The Swift type of a type's values, which are bytes for a transformable one.
    ///
    /// - Returns: `nil` for an undefined type.
    static func type(of type: AttributeType) -> String? {
        switch type {
        case .integer16: "Int16"
        case .integer32: "Int32"
        case .integer64: "Int64"
        case .decimal: "Decimal"
        case .double: "Double"
        case .float: "Float"
        case .string: "String"
        case .boolean: "Bool"
        case .date: "Date"
        case .binary, .transformable: "Data"
        case .uuid: "UUID"
        case .uri: "URL"
        case .undefined: nil
        }
    }

    /// The class that the model names, without its module; otherwise the entity's name.
    private func name(of entity: EntityDescription) -> String {
        let named = entity.representedClassName?.split(separator: ".").last.map(String.init)
        guard let named, named != "NSManagedObject" else { return identifier(entity.name) }
        return identifier(named)
    }

    private func modelSource() -> String {
        let names = model.entities.map { name(of: $0) + ".self" }
        let encoding = Data(model.canonicalEncoding).base64EncodedString()
        return """
            nonisolated public enum \(title) {
                /// The classes of the entities, for a container.
                public static let classes: [ManagedObject.Type] = [
                    \(names.joined(separator: ", "))
                ]

                /// The model as it was when this was generated.
                public static func load() throws -> ManagedObjectModel {
                    try ManagedObjectModel(
                        canonicalEncoding: [UInt8](Data(base64Encoded: encoding) ?? Data()))
                }

                private static let encoding = "\(encoding)"
            }
            """
    }

    func identifier(_ name: String) -> String {
        SwiftKeywords.all.contains(name) ? "`\(name)`" : name
    }

    func literal(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            scalar == "\"" || scalar == "\\" ? "\\\(scalar)" : String(scalar)
        }
        return "\"" + escaped.joined() + "\""
    }
}

/// Words that need backticks as the name of a property.
enum SwiftKeywords {
    static let all: Set<String> = [
        "Any", "Self", "as", "associatedtype", "break", "case", "catch", "class", "continue",
        "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false",
        "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout", "internal",
        "is", "let", "nil", "operator", "precedencegroup", "private", "protocol", "public",
        "repeat", "rethrows", "return", "self", "static", "struct", "subscript", "super", "switch",
        "throw", "throws", "true", "try", "typealias", "var", "where", "while",
    ]
}
