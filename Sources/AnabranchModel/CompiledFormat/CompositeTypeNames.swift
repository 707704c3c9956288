/// Names for the types of composite attributes, which a compiled model does not have.
///
/// The usual name is that of the composite attribute with a capital first letter. If the model uses
/// one such name for different elements, each kind of elements gets a name of its own: the entity
/// and the path of the first composite attribute that has them, such as `PersonHomeLocation`.
struct CompositeTypeNames {
    /// Elements that have one type.
    private struct Shape: Hashable {
        let name: String
        let attributes: [AttributeDeclaration]
        let compositeAttributes: [CompositeAttribute]

        init(_ composite: CompositeAttribute) {
            let plain = composite.withoutTypeNames
            name = composite.resolvedTypeName
            attributes = plain.attributes
            compositeAttributes = plain.compositeAttributes
        }
    }

    /// The kinds of elements for each usual name, each with the path of the first that has them.
    private var shapes: [String: [(shape: Shape, path: [String])]] = [:]
    private var names: [Shape: String] = [:]

    /// Gives names of their own to types that share the usual name and have different elements.
    static func assign(to model: inout ModelDeclaration) {
        var types = CompositeTypeNames()
        for entity in model.entities.sorted(by: { $0.name.precedesByBytes($1.name) }) {
            for composite in sorted(entity.compositeAttributes) {
                types.collect(composite, at: [entity.name, composite.name])
            }
        }
        types.nameShapes()
        guard !types.names.isEmpty else { return }
        for position in model.entities.indices {
            model.entities[position].compositeAttributes =
                model.entities[position].compositeAttributes.map { types.named($0) }
        }
    }

    fileprivate static func sorted(_ composites: [CompositeAttribute]) -> [CompositeAttribute] {
        composites.sorted { $0.name.precedesByBytes($1.name) }
    }

    private mutating func collect(_ composite: CompositeAttribute, at path: [String]) {
        let shape = Shape(composite)
        if shapes[shape.name]?.contains(where: { $0.shape == shape }) != true {
            shapes[shape.name, default: []].append((shape: shape, path: path))
        }
        for inner in Self.sorted(composite.compositeAttributes) {
            collect(inner, at: path + [inner.name])
        }
    }

    private mutating func nameShapes() {
        var taken = Set(shapes.keys)
        let ambiguous = shapes.values.filter { $0.count > 1 }.flatMap { $0 }
        for (shape, path) in ambiguous.sorted(by: { $0.path.isBefore($1.path) }) {
            let stem = path.map { "\($0.prefix(1).uppercased())\($0.dropFirst())" }.joined()
            var name = stem
            var number = 2
            while !taken.insert(name).inserted {
                name = "\(stem)\(number)"
                number += 1
            }
            names[shape] = name
        }
    }

    private func named(_ composite: CompositeAttribute) -> CompositeAttribute {
        var result = composite
        result.typeName = names[Shape(composite)]
        result.compositeAttributes = composite.compositeAttributes.map { named($0) }
        return result
    }
}

extension CompositeAttribute {
    /// The composite attribute with sorted elements, and without the names of types.
    fileprivate var withoutTypeNames: CompositeAttribute {
        var result = self
        result.typeName = nil
        result.attributes.sort { $0.name.precedesByBytes($1.name) }
        result.compositeAttributes = CompositeTypeNames.sorted(compositeAttributes)
            .map(\.withoutTypeNames)
        return result
    }
}

extension [String] {
    fileprivate func isBefore(_ other: [String]) -> Bool {
        lexicographicallyPrecedes(other) { $0.precedesByBytes($1) }
    }
}
