import AnabranchReplication

/// Composite attributes of a compiled model.
///
/// Core Data documents that the elements are a list of attribute descriptions, but not under which
/// key it archives them. So the list is found by its content: it is the only one under any key of
/// the composite attribute that has nothing but attribute descriptions.
extension CompiledModelReader {
    static let compositeClass = "NSCompositeAttributeDescription"

    private static let elementClasses: Set<String> = [
        "NSAttributeDescription", "NSDerivedAttributeDescription", compositeClass,
    ]

    /// Reads a composite attribute with all its elements.
    ///
    /// An archive may contain itself, so the depth and the number of elements are limited.
    ///
    /// - Parameter path: The path of the composite attribute that contains this one and a dot; or
    ///   nothing.
    mutating func read(
        composite archived: ArchivedObject, _ name: String, of entity: String,
        in path: String = "", depth: Int = 1
    ) -> CompositeAttribute {
        var composite = CompositeAttribute(name)
        composite.isOptional = archived.flag("NSIsOptional")
        composite.isTransient = archived.flag("NSIsTransient")
        composite.renamingIdentifier = renamingIdentifier(of: archived, named: name)
        composite.versionHashModifier = archived.text("NSVersionHashModifier")
        composite.userInfo = userInfo(of: archived)
        guard depth <= ModelLimits.deepestComposite else {
            composite.attributes = [Self.substitute]
            refuse(
                .limitExceeded, entity: entity, property: path + name,
                "Can't use composite attribute \(entity).\(path + name) because more than "
                    + "\(ModelLimits.deepestComposite) composite attributes are inside each other.")
            return composite
        }
        guard let elements = self.elements(of: archived) else {
            composite.attributes = [Self.substitute]
            refuse(
                .compositeAttribute, entity: entity, property: path + name,
                "Can't read composite attribute \(entity).\(path + name) because the compiled "
                    + "model does not have one list of its elements; read the .xcdatamodel that "
                    + "the model was compiled from.")
            return composite
        }
        for element in elements {
            guard countElement(of: entity, at: path + name) else { break }
            let own = element.text("NSPropertyName") ?? ""
            if element.className == Self.compositeClass {
                composite.compositeAttributes.append(
                    read(
                        composite: element, own, of: entity, in: "\(path)\(name).",
                        depth: depth + 1))
            } else {
                composite.attributes.append(
                    read(attribute: element, own, of: entity, in: "\(path)\(name)."))
            }
        }
        return composite
    }

    /// An element in place of those that can't be read, so that missing ones are no second problem.
    private static let substitute = AttributeDeclaration("value", .binary)

    /// The elements; `nil` if no list is found, or several different ones.
    private func elements(of archived: ArchivedObject) -> [ArchivedObject]? {
        let lists = archived.keys.compactMap { key -> [ArchivedObject]? in
            let values = archived.elements(key)
            let objects = values.compactMap(\.object)
                .filter { Self.elementClasses.contains($0.className) }
            return objects.isEmpty || objects.count != values.count ? nil : objects
        }
        guard let first = lists.first else { return nil }
        let isOne = lists.allSatisfy { $0.map(\.position) == first.map(\.position) }
        return isOne ? first : nil
    }

    /// Counts an element, so that composites that contain each other many times over can't fill
    /// the memory.
    ///
    /// - Returns: False if the entity has too many, which is reported once.
    private mutating func countElement(of entity: String, at path: String) -> Bool {
        compositeElementCount += 1
        let most = ModelLimits.maximumPropertiesInHierarchy
        if compositeElementCount == most + 1 {
            refuse(
                .limitExceeded, entity: entity, property: path,
                "Can't use entity \(entity) because its composite attributes have over \(most) "
                    + "elements.")
        }
        return compositeElementCount <= most
    }
}
