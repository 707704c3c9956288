import AnabranchReplication

/// Writes a declaration as a model file of Xcode, in the form that `ModelReader` and Xcode read.
///
/// Parts and their attributes have Xcode's order, so that Xcode changes few lines when it saves the
/// file. Settings without a place in the format become user info entries.
struct ModelWriter {
    let declaration: ModelDeclaration
    private(set) var problems: [ModelError] = []

    /// Creates a writer.
    ///
    /// - Parameter declaration: A checked declaration in canonical order.
    init(_ declaration: ModelDeclaration) { self.declaration = declaration }

    /// Writes the file.
    ///
    /// - Throws: ``ModelError`` with every setting that Xcode's format can't hold.
    static func text(of declaration: ModelDeclaration) throws(ModelError) -> String {
        var writer = ModelWriter(declaration)
        let root = writer.root()
        if let error = ModelError(writer.problems) { throw error }
        return root.document
    }

    private mutating func root() -> XMLNode {
        var root = XMLNode("model")
        root.set("type", "com.apple.IDECoreDataModeler.DataModel")
        root.set("documentVersion", "1.0")
        root.set("lastSavedToolsVersion", "1")
        root.set("systemVersion", "1")
        root.set("minimumToolsVersion", "Automatic")
        root.set("sourceLanguage", "Swift")
        let identifier = text(
            declaration.versionIdentifier, "version identifier", of: Place(name: "the model"))
        root.set("userDefinedModelVersionIdentifier", identifier ?? "")
        for entity in declaration.entities { root.children.append(node(entity)) }
        for template in declaration.fetchRequestTemplates { root.children.append(node(template)) }
        for configuration in declaration.configurations {
            root.children.append(node(configuration))
        }
        root.children += composites(of: declaration.entities)
        if !declaration.entities.isEmpty { root.children.append(diagram()) }
        return root
    }

    // MARK: - Entities

    private mutating func node(_ entity: EntityDeclaration) -> XMLNode {
        let place = Place(name: "entity \(entity.name)", entity: entity.name)
        var node = XMLNode("entity")
        node.set("name", text(entity.name, "name", of: place))
        node.set("representedClassName", text(entity.representedClassName, "class name", of: place))
        node.set("isAbstract", flag: entity.isAbstract)
        node.set("parentEntity", entity.parent)
        node.set("elementID", text(entity.renamingIdentifier, "renaming identifier", of: place))
        node.set(
            "versionHashModifier",
            text(entity.versionHashModifier, "version hash modifier", of: place))
        node.set("syncable", "YES")
        node.children += nodes(entity.attributes, entity.compositeAttributes, of: entity)
        for relationship in entity.relationships {
            node.children.append(self.node(relationship, of: entity))
        }
        for property in entity.fetchedProperties {
            node.children.append(self.node(property, of: entity))
        }
        for index in entity.indexes { node.children.append(self.node(index, of: entity)) }
        node.children += constraints(of: entity)
        node.children += userInfo(entries(of: entity), of: place)
        return node
    }

    private mutating func node(_ property: FetchedProperty, of entity: EntityDeclaration) -> XMLNode
    {
        let place = Place("fetched property", property.name, of: entity)
        var request = XMLNode("fetchRequest")
        request.set("name", "fetchedPropertyFetchRequest")
        request.set("entity", property.entity)
        request.set("predicateString", text(property.predicateFormat, "predicate", of: place))
        request.set("fetchLimit", property.fetchLimit.map(String.init))
        var node = XMLNode("fetchedProperty")
        node.set("name", property.name)
        node.set("optional", "YES")
        node.children = [request] + userInfo(property.userInfo, of: place)
        return node
    }

    private mutating func node(_ index: IndexDeclaration, of entity: EntityDeclaration) -> XMLNode {
        var node = XMLNode("fetchIndex")
        let place = Place(name: "index \(index.name)", entity: entity.name)
        node.set("name", text(index.name, "name", of: place))
        node.children = index.elements.map { element in
            var node = XMLNode("fetchIndexElement")
            node.set("property", element.property)
            node.set("type", "Binary")
            node.set("order", element.isAscending ? "ascending" : "descending")
            return node
        }
        return node
    }

    private func constraints(of entity: EntityDeclaration) -> [XMLNode] {
        guard !entity.uniquenessConstraints.isEmpty else { return [] }
        var node = XMLNode("uniquenessConstraints")
        node.children = entity.uniquenessConstraints.map { constraint in
            var node = XMLNode("uniquenessConstraint")
            node.children = constraint.attributes.map { name in
                var node = XMLNode("constraint")
                node.set("value", name)
                return node
            }
            return node
        }
        return [node]
    }

    // MARK: - Templates and the diagram

    private mutating func node(_ template: FetchRequestTemplate) -> XMLNode {
        let place = Place(name: "fetch request template \(template.name)")
        var node = XMLNode("fetchRequest")
        node.set("name", text(template.name, "name", of: place, mayBeEmpty: true))
        node.set("entity", template.entity)
        node.set("predicateString", text(template.predicateFormat, "predicate", of: place))
        node.set("fetchLimit", template.fetchLimit.map(String.init))
        node.set(
            "fetchBatchSize",
            template.fetchBatchSize == 0 ? nil : String(template.fetchBatchSize))
        let settings = [
            ("includeSubentities", template.includesSubentities),
            ("includePropertyValues", template.includesPropertyValues),
            ("includesPendingChanges", template.includesPendingChanges),
            ("returnObjectsAsFaults", template.returnsObjectsAsFaults),
        ]
        for (name, isSet) in settings where !isSet { node.set(name, "NO") }
        return node
    }

    private mutating func node(_ configuration: ModelConfiguration) -> XMLNode {
        let place = Place(name: "configuration \(configuration.name)")
        if !configuration.isSynced, configuration.entities.isEmpty {
            refuse(
                place,
                "Can't write \(place.name) because it is not synced and has no entity, whose user "
                    + "info would say so; leave it out.")
        }
        var node = XMLNode("configuration")
        node.set("name", text(configuration.name, "name", of: place))
        node.children = configuration.entities.map { name in
            var node = XMLNode("memberEntity")
            node.set("name", name)
            return node
        }
        return node
    }

    /// The places of the entities in the diagram of Xcode's editor: a square grid.
    private func diagram() -> XMLNode {
        var node = XMLNode("elements")
        let entities = declaration.entities
        let columns = max(1, Int(Double(entities.count).squareRoot().rounded(.up)))
        let most = entities.map(\.propertyCount).max() ?? 0
        node.children = entities.enumerated().map { place, entity in
            var element = XMLNode("element")
            element.set("name", entity.name)
            element.set("positionX", String(place % columns * 192))
            element.set("positionY", String(place / columns * (Self.height(of: most) + 64)))
            element.set("width", "128")
            element.set("height", String(Self.height(of: entity.propertyCount)))
            return element
        }
        return node
    }

    /// The height at which Xcode draws a box with that many properties.
    private static func height(of count: Int) -> Int { 43 + 15 * count }
}

extension EntityDeclaration {
    fileprivate var propertyCount: Int {
        attributes.count + compositeAttributes.count + relationships.count
    }
}

extension ModelWriter {
    /// The part of a model that a setting belongs to.
    struct Place {
        /// The kind and the name of the part, for messages.
        let name: String
        var entity: String?
        var property: String?
    }

    /// Checks a text before it is written.
    ///
    /// The format has one form for an empty text and a missing one, and XML has no form for most
    /// control characters.
    mutating func text(
        _ text: String?, _ setting: String, of place: Place, mayBeEmpty: Bool = false
    ) -> String? {
        guard let text else { return nil }
        if text.isEmpty, !mayBeEmpty {
            refuse(
                place,
                "Can't write the \(setting) of \(place.name) because it is empty, which a model "
                    + "file can't tell from a missing one; leave it out.")
        }
        if let scalar = text.unicodeScalars.first(where: { !XMLNode.allows($0) }) {
            let code = String(scalar.value, radix: 16, uppercase: true)
            refuse(
                place,
                "Can't write the \(setting) of \(place.name) because XML has no form for its "
                    + "character U+\(String(repeating: "0", count: max(0, 4 - code.count)))"
                    + "\(code); leave that out.")
        }
        return text
    }

    mutating func refuse(_ place: Place, _ message: String) {
        problems.append(
            ModelError(.notExpressible, entity: place.entity, property: place.property, message))
    }

    /// The user info as a list of no or one element.
    mutating func userInfo(_ entries: [String: String], of place: Place) -> [XMLNode] {
        guard !entries.isEmpty else { return [] }
        var node = XMLNode("userInfo")
        for (key, value) in entries.sorted(by: { $0.key.precedesByBytes($1.key) }) {
            var entry = XMLNode("entry")
            let setting = "user info entry \(key)"
            entry.set("key", text(key, setting, of: place, mayBeEmpty: true))
            entry.set("value", text(value, setting, of: place, mayBeEmpty: true))
            node.children.append(entry)
        }
        return [node]
    }
}

extension ModelWriter.Place {
    init(_ kind: String, _ property: String, of entity: EntityDeclaration) {
        self.init(
            name: "\(kind) \(entity.name).\(property)", entity: entity.name, property: property)
    }
}
