import AnabranchModel

extension ClassWriter {
    /// The structs of the composite attributes, one for each type, sorted by name.
    func compositeSources() -> [String] {
        var types: [String: CompositeAttributeDescription] = [:]
        var pending = model.entities.flatMap(\.compositeAttributes)
        while let next = pending.popLast() {
            guard types.updateValue(next, forKey: next.typeName) == nil else { continue }
            pending += next.compositeAttributes
        }
        return types.sorted { $0.key < $1.key }.map { source(of: $0.value) }
    }

    /// The accessors of a composite attribute in the class of its entity.
    func accessor(of composite: CompositeAttributeDescription) -> [String] {
        stored(
            composite.name, Self.type(of: composite), "composite: \(literal(composite.name))")
    }

    private static func type(of composite: CompositeAttributeDescription) -> String {
        composite.typeName + (composite.isOptional ? "?" : "")
    }

    private func source(of composite: CompositeAttributeDescription) -> String {
        let type = composite.typeName
        let elements = elements(of: composite)
        let names = elements.map { ($0.name, identifier($0.name)) }
        let parameters = elements.map { element in
            let initial = element.type.hasSuffix("?") ? " = nil" : ""
            return "\(identifier(element.name)): \(element.type)\(initial)"
        }
        var lines = ["nonisolated public struct \(type): CompositeValue, Hashable, Sendable {"]
        lines += elements.map { "    public var \(identifier($0.name)): \($0.type)" }
        lines += ["", "    public init(\(parameters.joined(separator: ", "))) {"]
        lines += names.map { "        self.\($1) = \($1)" }
        lines += ["    }", "", "    public init(elements: CompositeElements) {"]
        lines += names.map { "        self.\($1) = elements[\(literal($0))]" }
        lines += ["    }", "", "    public func write(to elements: inout CompositeElements) {"]
        lines += names.map { "        elements[\(literal($0))] = self.\($1)" }
        lines += [
            "    }", "", "    public static var compositeDeclaration: CompositeDeclaration {",
        ]
        lines.append("        var composite = CompositeDeclaration(of: \(type).self)")
        lines += elements.map {
            "        composite.element(\(literal($0.name)), \($0.type).self)"
        }
        return (lines + ["        return composite", "    }", "}"]).joined(separator: "\n")
    }

    /// The names and types of the elements; an element without a type is left out, because no
    /// struct can have it.
    private func elements(
        of composite: CompositeAttributeDescription
    ) -> [(name: String, type: String)] {
        composite.elements.compactMap { element in
            switch element {
            case .composite(let inner):
                return (inner.declaration.name, Self.type(of: inner))
            case .attribute(let attribute):
                let name = composite.key(of: attribute)
                let isOptional =
                    composite.declaration.attributes.first { $0.name == name }?.isOptional ?? true
                guard let type = Self.type(of: attribute.type) else { return nil }
                return (name, isOptional ? type + "?" : type)
            }
        }
    }
}
