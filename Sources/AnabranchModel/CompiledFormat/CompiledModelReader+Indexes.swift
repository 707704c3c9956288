import AnabranchReplication

extension CompiledModelReader {
    mutating func readIndexes(of archived: ArchivedObject, into entity: inout EntityDeclaration) {
        var indexes = archived.elements("NSFetchIndexDescriptions").compactMap {
            $0.object.flatMap { read(index: $0, of: entity.name) }
        }
        // The compiler makes an index for an attribute that is marked as indexed, named as the
        // attribute. The model file has none if another index has the same columns.
        indexes = indexes.filter { index in
            guard index.elements.map(\.property) == [index.name] else { return true }
            return !indexes.contains {
                $0.name != index.name && $0.elements.map(\.property) == [index.name]
            }
        }
        for columns in oldIndexes(of: archived) where !columns.isEmpty {
            let isThere = indexes.contains { $0.elements.map(\.property) == columns }
            if isThere { continue }
            let taken = Set(indexes.map { WireName($0.name) })
            var name = columns.joined(separator: "_")
            while taken.contains(WireName(name)) { name += "_" }
            indexes.append(
                IndexDeclaration(name, elements: columns.map { IndexDeclaration.Element($0) }))
        }
        entity.indexes = indexes
    }

    /// Reads indexes in the old forms: attributes marked as indexed, and compound indexes.
    private func oldIndexes(of archived: ArchivedObject) -> [[String]] {
        let inherited = Set(
            archived.object("NSSuperentity")?.entries("NSProperties").map(\.key) ?? [])
        let single = archived.entries("NSProperties").compactMap { entry -> [String]? in
            guard let property = entry.value.object, !inherited.contains(entry.key),
                property.className == "NSAttributeDescription",
                property.flag("NSIsIndexed"), !property.flag("NSIsTransient")
            else { return nil }
            return [entry.key]
        }
        let compound = archived.elements("NSCompoundIndexes").map { index in
            index.elements.compactMap { $0.text ?? $0.object?.text("NSPropertyName") }
        }
        return single + compound
    }

    private mutating func read(index archived: ArchivedObject, of entity: String)
        -> IndexDeclaration?
    {
        var index = IndexDeclaration(archived.text("NSIndexName") ?? "", elements: [])
        for element in archived.elements("NSIndexElements").compactMap(\.object) {
            guard let property = element.text("NSPropertyName") else {
                ignore(
                    entity: entity,
                    "Index \(index.name) of entity \(entity) is left out: indexes over "
                        + "expressions are not supported yet.")
                return nil
            }
            if element.integer("NSFetchIndexElementType") == 1 {
                ignore(
                    entity: entity, property: property,
                    "Index \(index.name) of entity \(entity) is made as an ordinary one, not as "
                        + "an R-tree.")
            }
            index.elements.append(
                IndexDeclaration.Element(property, ascending: element.flag("NSAscending")))
        }
        return index
    }

    mutating func read(
        template archived: ArchivedObject, named name: String, into model: inout ModelDeclaration
    ) {
        let entity = entityName(of: archived)
        var template = FetchRequestTemplate(name, entity: entity)
        if let predicate = archived.object("NSPredicate") {
            guard let text = ArchivedPredicate.text(predicate) else {
                ignore(
                    entity: entity,
                    "The fetch request template \(name) is left out: its predicate can't be read.")
                return
            }
            template.predicateFormat = text
        }
        let limit = Int(clamping: archived.integer("NSFetchLimit") ?? 0)
        if limit > 0 { template.fetchLimit = limit }
        template.fetchBatchSize = max(Int(clamping: archived.integer("NSBatchSize") ?? 0), 0)
        model.fetchRequestTemplates.append(template)
    }

    /// The entity of a fetch request.
    private func entityName(of archived: ArchivedObject) -> String {
        archived.object("NSEntity")?.text("NSEntityName")
            ?? archived.text("_NSFetchRequestEntityName") ?? archived.text("NSEntityName") ?? ""
    }

    mutating func read(
        fetchedProperty archived: ArchivedObject, _ name: String,
        into entity: inout EntityDeclaration
    ) {
        guard let request = archived.object("NSFetchRequest") else { return }
        var property = FetchedProperty(
            name, of: entityName(of: request), userInfo: userInfo(of: archived))
        if let predicate = request.object("NSPredicate") {
            guard let text = ArchivedPredicate.text(predicate) else {
                ignore(
                    entity: entity.name, property: name,
                    "The fetched property \(entity.name).\(name) is left out: its predicate "
                        + "can't be read.")
                return
            }
            property.predicateFormat = text
        }
        let limit = Int(clamping: request.integer("NSFetchLimit") ?? 0)
        if limit > 0 { property.fetchLimit = limit }
        entity.fetchedProperties.append(property)
    }
}
