import AnabranchReplication

/// A composite attribute of a checked model.
///
/// It has no slot and no column itself: each attribute among its elements has them. It is equal
/// only to itself: descriptions of two models differ even if the models are equal.
public final class CompositeAttributeDescription: Sendable {
    /// One element of a composite attribute.
    package enum Element: Sendable {
        /// An attribute. Its name is the whole path, such as `address.city`.
        case attribute(AttributeDescription)
        /// A composite attribute inside the other one.
        case composite(CompositeAttributeDescription)
    }

    /// The name, which is the whole path of one inside another one: `address.location`.
    public let name: String
    /// The declaration in the model's canonical form.
    package let declaration: CompositeAttribute
    /// True if a saved object may have no value.
    ///
    /// A composite attribute inside one that may have no value is checked only if that one has one.
    public let isOptional: Bool
    /// The elements: the attributes, then the composite attributes, each sorted by the bytes of
    /// their names.
    package let elements: [Element]
    /// The attributes among the elements at every depth, sorted by the bytes of their names.
    public let attributes: [AttributeDescription]
    /// The name of the type in a model file and in generated code.
    public let typeName: String

    private let graph: ModelGraph
    private let entityIndex: Int

    /// Describes a declared composite attribute.
    ///
    /// - Parameters:
    ///   - path: The name of the composite attribute that contains it and a dot; or nothing.
    ///   - attributes: The entity's own attributes by their names.
    init(
        _ declaration: CompositeAttribute, in path: String, declaredBy entity: Int,
        attributes: [WireName: AttributeDescription], graph: ModelGraph
    ) {
        let name = path + declaration.name
        self.name = name
        self.declaration = declaration
        isOptional = declaration.isOptional
        typeName = declaration.resolvedTypeName
        let own = declaration.attributes.compactMap { attributes[WireName("\(name).\($0.name)")] }
        let inner = declaration.compositeAttributes.map {
            CompositeAttributeDescription(
                $0, in: name + ".", declaredBy: entity, attributes: attributes, graph: graph)
        }
        elements = own.map { .attribute($0) } + inner.map { .composite($0) }
        self.attributes = (own + inner.flatMap(\.attributes))
            .sorted { $0.name.precedesByBytes($1.name) }
        self.graph = graph
        entityIndex = entity
    }
}

extension CompositeAttributeDescription {
    /// The entity that declares the composite attribute.
    public var entity: EntityDescription { graph.entities[entityIndex] }
    /// The declaration's texts for the app or for tools.
    public var userInfo: [String: String] { declaration.userInfo }

    /// The composite attributes among the elements.
    public var compositeAttributes: [CompositeAttributeDescription] {
        elements.compactMap { element in
            guard case .composite(let composite) = element else { return nil }
            return composite
        }
    }

    /// The name of an attribute among the elements, without the name of the composite attribute and
    /// the dot: `city` of `address.city`, `location.latitude` of `address.location.latitude`.
    package func key(of attribute: AttributeDescription) -> String {
        String(decoding: attribute.name.utf8.dropFirst(name.utf8.count + 1), as: UTF8.self)
    }

    /// The attributes that have their defaults when the composite attribute gets a value: the
    /// elements with defaults, without those of optional composite attributes inside of it.
    package var attributesWithDefault: [AttributeDescription] {
        elements.flatMap { element in
            switch element {
            case .attribute(let attribute): attribute.defaultValue.isNull ? [] : [attribute]
            case .composite(let inner): inner.isOptional ? [] : inner.attributesWithDefault
            }
        }
    }

    /// The attributes directly among the elements that need a value if the composite attribute has
    /// one.
    package var mandatoryAttributes: [AttributeDescription] {
        elements.compactMap { element in
            guard case .attribute(let attribute) = element else { return nil }
            let declared = declaration.attributes.first {
                attribute.name.hasSameBytes(as: "\(name).\($0.name)")
            }
            return declared?.isOptional == false ? attribute : nil
        }
    }
}

extension CompositeAttributeDescription: Hashable {
    /// Returns true if both are the same description.
    public static func == (
        left: CompositeAttributeDescription, right: CompositeAttributeDescription
    ) -> Bool { left === right }

    /// Hashes the identity of the description.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension CompositeAttributeDescription: CustomStringConvertible {
    /// The entity and the name, such as `Person.address`.
    public var description: String { "\(entity.name).\(name)" }
}
