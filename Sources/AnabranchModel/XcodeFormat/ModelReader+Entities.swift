import AnabranchReplication

extension ModelReader {
    mutating func read(entity element: ModelElement) -> EntityDeclaration {
        var entity = EntityDeclaration(element.attributes["name"] ?? "")
        remember(element, entity: entity.name)
        entity.parent = element.text("parentEntity")
        entity.isAbstract = element.flag("isAbstract")
        entity.representedClassName = element.text("representedClassName")
        entity.renamingIdentifier = element.text("elementID")
        entity.versionHashModifier = element.text("versionHashModifier")
        entity.userInfo = userInfo(of: element)
        compositeElementCount = 0
        for child in element.children {
            switch child.name {
            case "attribute" where child.isComposite:
                entity.compositeAttributes.append(read(composite: child, of: entity.name))
            case "attribute":
                let attribute = read(attribute: child, of: entity.name)
                entity.attributes.append(attribute)
                if let group = attribute.userInfo[UserInfoKey.mergeGroup] {
                    remember(child, entity: entity.name, property: group)
                }
            case "relationship":
                entity.relationships.append(read(relationship: child, of: entity.name))
            case "fetchedProperty":
                entity.fetchedProperties.append(read(fetchedProperty: child, of: entity.name))
            default: break
            }
        }
        readIndexes(of: element, into: &entity)
        entity.uniquenessConstraints = element.children(named: "uniquenessConstraints")
            .flatMap { $0.children(named: "uniquenessConstraint") }
            .map {
                UniquenessConstraint(
                    attributes: $0.children(named: "constraint").compactMap { $0.text("value") })
            }
        return entity
    }

    private mutating func read(
        fetchedProperty element: ModelElement, of entity: String
    ) -> FetchedProperty {
        let request = element.children(named: "fetchRequest").first
        var property = FetchedProperty(
            element.attributes["name"] ?? "", of: request?.attributes["entity"] ?? "",
            predicateFormat: request?.text("predicateString"), userInfo: userInfo(of: element))
        remember(element, entity: entity, property: property.name)
        if let limit = request?.text("fetchLimit").flatMap({ Int($0) }), limit > 0 {
            property.fetchLimit = limit
        }
        return property
    }

    func userInfo(of element: ModelElement) -> [String: String] {
        let entries = element.children(named: "userInfo").flatMap { $0.children(named: "entry") }
            .map { ($0.attributes["key"] ?? "", $0.attributes["value"] ?? "") }
        return Dictionary(entries, uniquingKeysWith: { _, last in last })
    }

    private mutating func readIndexes(
        of element: ModelElement, into entity: inout EntityDeclaration
    ) {
        for child in element.children(named: "fetchIndex") {
            if let index = read(index: child, of: entity.name) { entity.indexes.append(index) }
        }
        let legacy = legacyIndexes(of: element)
        for columns in legacy where !columns.isEmpty {
            let isThere = entity.indexes.contains { $0.elements.map(\.property) == columns }
            if isThere { continue }
            let taken = Set(entity.indexes.map { WireName($0.name) })
            var name = columns.joined(separator: "_")
            while taken.contains(WireName(name)) { name += "_" }
            entity.indexes.append(
                IndexDeclaration(name, elements: columns.map { IndexDeclaration.Element($0) }))
        }
    }

    /// Reads indexes in the old forms: attributes marked as indexed, and compound indexes.
    private func legacyIndexes(of element: ModelElement) -> [[String]] {
        let single = element.children(named: "attribute")
            .filter { $0.flag("indexed") && !$0.flag("transient") }
            .compactMap { $0.text("name").map { [$0] } }
        let compound = element.children(named: "compoundIndexes")
            .flatMap { $0.children(named: "compoundIndex") }
            .map { $0.children(named: "index").compactMap { $0.text("value") } }
        return single + compound
    }

    private mutating func read(index element: ModelElement, of entity: String) -> IndexDeclaration?
    {
        let name = element.attributes["name"] ?? ""
        var index = IndexDeclaration(name, elements: [])
        checkKinds(ofElementsOf: element, index: name, of: entity)
        for child in element.children(named: "fetchIndexElement") {
            guard let property = child.text("property") else {
                ignore(
                    entity: entity,
                    "Index \(name) of entity \(entity) is left out: indexes over expressions are "
                        + "not supported yet.")
                return nil
            }
            if child.isRTree {
                ignore(
                    entity: entity, property: property,
                    "Index \(name) of entity \(entity) is made as an ordinary one, not as an "
                        + "R-tree.")
            }
            let isAscending = child.text("order")?.lowercased() != "descending"
            index.elements.append(IndexDeclaration.Element(property, ascending: isAscending))
        }
        return index
    }

    /// Checks that an index does not mix R-tree and ordinary elements.
    private mutating func checkKinds(
        ofElementsOf element: ModelElement, index name: String, of entity: String
    ) {
        let elements = element.children(named: "fetchIndexElement")
        guard let first = elements.first,
            let other = elements.first(where: { $0.isRTree != first.isRTree })
        else { return }
        refuse(
            .invalidProperty, other, entity: entity, property: other.text("property"),
            "Can't make index \(name) of entity \(entity) because some of its elements are of type "
                + "RTree and others are not; make two indexes of them.")
    }
}

extension ModelElement {
    fileprivate var isRTree: Bool { text("type")?.lowercased() == "rtree" }
}
