import AnabranchReplication

/// The composites of a model file, which attributes name as their types.
struct ModelComposites {
    private let elements: [String: ModelElement]
    /// The names of the composites that an attribute uses.
    private(set) var used: Set<String> = []

    init(_ elements: [ModelElement] = []) {
        self.elements = Dictionary(
            elements.map { ($0.attributes["name"] ?? "", $0) },
            uniquingKeysWith: { first, _ in first })
    }

    mutating func element(named name: String) -> ModelElement? {
        used.insert(name)
        return elements[name]
    }
}

extension ModelReader {
    /// Reads the composites, to be found when attributes are read, and checks their names.
    mutating func read(composites elements: [ModelElement]) {
        var names: Set<String> = []
        for element in elements {
            let name = element.attributes["name"] ?? ""
            guard !names.insert(name).inserted else { continue }
            refuse(
                .duplicateName, element, entity: nil,
                "Can't use composite \(name) because there are two of that name.")
        }
        composites = ModelComposites(elements)
    }

    /// Warns about composites that no attribute uses: the model has no place for them.
    mutating func reportUnused(composites elements: [ModelElement]) {
        for element in elements {
            let name = element.attributes["name"] ?? ""
            guard !composites.used.contains(name) else { continue }
            ignore(entity: nil, "Composite \(name) is left out: no attribute is of that type.")
        }
    }

    /// Reads a composite attribute with all its elements.
    ///
    /// - Parameter entity: The entity, and within it the path of the composite attribute that
    ///   contains this one and a dot; or nothing.
    mutating func read(
        composite element: ModelElement, of entity: String, in path: String = "",
        types: [String] = []
    ) -> CompositeAttribute {
        var result = CompositeAttribute(element.attributes["name"] ?? "")
        let name = path + result.name
        remember(element, entity: entity, property: name)
        result.isOptional = element.flag("optional")
        result.isTransient = element.flag("transient")
        result.renamingIdentifier = element.text("elementID")
        result.versionHashModifier = element.text("versionHashModifier")
        result.userInfo = userInfo(of: element)
        let type = element.text("composite") ?? ""
        result.typeName = type
        guard let declared = composites.element(named: type) else {
            result.substitute()
            refuse(
                .unknownProperty, element, entity: entity, property: name,
                "Can't use composite attribute \(entity).\(name) because there is no composite "
                    + "\(type).")
            return result
        }
        guard !types.contains(type) else {
            result.substitute()
            refuse(
                .inheritanceCycle, element, entity: entity, property: name,
                "Can't use composite attribute \(entity).\(name) because its composite \(type) "
                    + "contains itself.")
            return result
        }
        readElements(of: declared, into: &result, of: entity, at: name, types: types + [type])
        return result
    }

    private mutating func readElements(
        of declared: ModelElement, into result: inout CompositeAttribute, of entity: String,
        at path: String, types: [String]
    ) {
        for child in declared.children where child.name != "userInfo" {
            guard countElement(of: entity, at: path, child) else { return }
            guard child.name == "attribute" else {
                refuse(
                    .invalidProperty, child, entity: entity, property: path,
                    "Can't use composite \(types.last ?? "") because its element "
                        + "\(child.text("name") ?? "") is a \(child.name); only attributes are "
                        + "elements.")
                continue
            }
            if child.isComposite {
                result.compositeAttributes.append(
                    read(composite: child, of: entity, in: path + ".", types: types))
            } else {
                result.attributes.append(read(attribute: child, of: entity, in: path + "."))
            }
        }
    }

    /// Counts an element, so that composites that contain each other many times over can't fill
    /// the memory.
    ///
    /// - Returns: False if there are too many, which is reported once.
    private mutating func countElement(
        of entity: String, at path: String, _ element: ModelElement
    ) -> Bool {
        compositeElementCount += 1
        let most = ModelLimits.maximumPropertiesInHierarchy
        if compositeElementCount == most + 1 {
            refuse(
                .limitExceeded, element, entity: entity, property: path,
                "Can't use entity \(entity) because its composite attributes have over \(most) "
                    + "elements.")
        }
        return compositeElementCount <= most
    }
}

extension CompositeAttribute {
    /// Takes an element, so that missing ones are no second problem.
    fileprivate mutating func substitute() {
        typeName = nil
        attributes = [AttributeDeclaration("value", .binary)]
    }
}

extension ModelElement {
    /// True for an attribute that a composite describes.
    var isComposite: Bool { name == "attribute" && text("attributeType") == "Composite" }
}
