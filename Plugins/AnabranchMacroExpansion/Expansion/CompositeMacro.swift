/// The macro `@Composite`: makes a struct the type of composite attributes, by an extension.
enum CompositeMacro {
    static let typeName = "CompositeMacro"

    /// The member that declares the elements. It is in the struct itself, where the types of the
    /// elements have the names that the source gives them.
    static func members(of source: String) -> Expansion {
        guard let declaration = TypeDeclaration(source: source) else {
            return Expansion(diagnostic: Diagnostic(message: notAStruct, offset: 0))
        }
        if let refusal = refusal(of: declaration) { return Expansion(diagnostic: refusal) }
        let composite = CompositeStruct(declaration)
        return Expansion(source: composite.members, diagnostics: composite.diagnostics)
    }

    /// The extension with the conformance. An initializer in it leaves the struct its own one.
    ///
    /// - Parameter name: The struct as it is named from outside; `nil` is its own name.
    static func `extension`(of source: String, named name: String?) -> Expansion {
        guard let declaration = TypeDeclaration(source: source),
            refusal(of: declaration) == nil
        else { return Expansion() }
        let composite = CompositeStruct(declaration)
        return Expansion(source: composite.extension(named: name ?? declaration.name.sourceText))
    }

    private static let notAStruct = "@Composite is for structs: write it before 'struct'."

    private static func refusal(of declaration: TypeDeclaration) -> Diagnostic? {
        let name = declaration.name.text
        guard declaration.introducer.text == "struct" else {
            return Diagnostic(
                message: "@Composite is for structs: write 'struct \(name)'.",
                offset: declaration.introducer.offset)
        }
        guard declaration.isGeneric else { return nil }
        return Diagnostic(
            message: "The struct of a composite attribute can't be generic, since its elements "
                + "have types of the model: write one struct for each.",
            offset: declaration.name.offset)
    }
}

/// A struct with `@Composite`, read from its source.
struct CompositeStruct {
    private let declaration: TypeDeclaration
    private let access: String
    private var elements: [(name: String, type: TypeUse, property: PropertyDeclaration)] = []
    private(set) var diagnostics: [Diagnostic] = []

    init(_ declaration: TypeDeclaration) {
        self.declaration = declaration
        let level = declaration.modifiers.first {
            ["public", "package"].contains($0.name) && $0.argument == nil
        }
        access = level.map { $0.name + " " } ?? ""
        for property in declaration.properties where property.isForEntity {
            let wrong = Self.diagnostic(about: property) ?? Self.diagnostic(aboutMarkOf: property)
            if let wrong {
                diagnostics.append(wrong)
            } else if let name = property.name, let type = property.type {
                elements.append((name.text, type, property))
            }
        }
    }

    /// The error of a property that can't be an element.
    private static func diagnostic(about property: PropertyDeclaration) -> Diagnostic? {
        let name = property.name?.text ?? ""
        func diagnostic(_ message: String, at offset: Int? = nil) -> Diagnostic {
            Diagnostic(message: message, offset: offset ?? property.offset)
        }
        if property.name == nil || property.isList {
            return diagnostic("@Composite reads one property from each 'var': write one a line.")
        }
        guard let type = property.type else {
            return diagnostic(
                "@Composite can't infer types: write '\(property.introducer.text) \(name): ' with "
                    + "its type.")
        }
        let isToMany = ["ManagedObjectSet", "ManagedObjectList"].contains {
            type.genericArguments(of: $0) != nil
        }
        if isToMany || property.has("Relationship") {
            return diagnostic(
                "A composite attribute has no relationships: move '\(name)' to the class of the "
                    + "entity.")
        }
        if property.has("Transformable") {
            return diagnostic(
                "An element is stored as it is: move '\(name)' to the class of the entity, where "
                    + "a property can be @Transformable.")
        }
        if property.isConditional {
            return diagnostic(
                "The elements of a struct are the same in every build: move '\(name)' out of #if.")
        }
        let core = type.wrapped ?? type
        if core.path == nil, core.genericArguments(of: "Optional") == nil,
            !property.has("Attribute")
        {
            return diagnostic(
                "'\(type.text)' can't be stored: use a type that conforms to AttributeValue, or a "
                    + "struct with @Composite.", at: type.offset)
        }
        return nil
    }

    /// The error of a setting that an element can't have.
    private static func diagnostic(aboutMarkOf property: PropertyDeclaration) -> Diagnostic? {
        let refused: Set = [
            "unique", "indexed", "transient", "derivation", "mergeRule", "group",
        ]
        for argument in property.mark("Attribute")?.arguments.arguments ?? [] {
            let name = argument.label ?? argument.value.last?.text ?? ""
            guard refused.contains(name) else { continue }
            return Diagnostic(
                message: "An element has no '\(name)', since all elements are stored and merge as "
                    + "one value: remove it.", offset: argument.offset)
        }
        return nil
    }

    var members: String {
        let statements = elements.map { "    " + statement($0) + "\n" }.joined()
        return """
            \(access)static var compositeDeclaration: Anabranch.CompositeDeclaration {
                \(elements.isEmpty ? "let" : "var") _composite = \
            Anabranch.CompositeDeclaration(of: \(declaration.name.sourceText).self)
            \(statements)    return _composite
            }
            """
    }

    /// The extension; nothing if an element is wrong, so that the compiler reports only that.
    func `extension`(named name: String) -> String {
        guard diagnostics.isEmpty else { return "" }
        return """
            extension \(name.filter { !$0.isWhitespace }): Anabranch.CompositeValue {
                \(access)init(elements: Anabranch.CompositeElements) {
            \(lines(elements.map { "self.\(code($0.name)) = elements[\(literal($0.name))]" }))    }

                \(access)func write(to elements: inout Anabranch.CompositeElements) {
            \(lines(elements.map { "elements[\(literal($0.name))] = self.\(code($0.name))" }))    }
            }
            """
    }

    private func lines(_ statements: [String]) -> String {
        statements.map { "        \($0)\n" }.joined()
    }

    private func statement(
        _ element: (name: String, type: TypeUse, property: PropertyDeclaration)
    ) -> String {
        var arguments = [literal(element.name), "\(element.type.text).self"]
        let mark = element.property.mark("Attribute")?.arguments ?? []
        if !mark.isEmpty {
            arguments.append("Anabranch.AttributeSettings(\(declaration.text(of: mark)))")
        }
        let initial = declaration.text(of: element.property.initialValue)
        if !initial.isEmpty { arguments.append("initially: { \(initial) }") }
        return "_composite.element(\(arguments.joined(separator: ", ")))"
    }

    private func literal(_ name: String) -> String { StringLiteral.text(of: name) }

    /// The name as code: quoted always, because the text of a quoted name lacks its quotes.
    private func code(_ name: String) -> String { "`\(name)`" }
}
