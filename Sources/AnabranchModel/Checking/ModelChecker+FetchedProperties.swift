import AnabranchReplication

extension ModelChecker {
    /// Checks names, entities and predicates of the fetched properties of an entity.
    mutating func checkFetchedProperties(declaredBy position: Int) {
        let entity = entities[position]
        var own: Set<WireName> = []
        for property in entity.fetchedProperties {
            let lead = "Can't use the fetched property \(entity.name).\(property.name) because"
            if let objection = NameRules.objection(toName: property.name, isEntity: false) {
                refuse(
                    .invalidName, entity.name, property.name, "\(lead) of its name: \(objection).")
            }
            let isTwice = !own.insert(WireName(property.name)).inserted
            if isTwice || isTaken(property.name, above: position) {
                refuse(
                    .duplicateName, entity.name, property.name,
                    "\(lead) there is another property of that name.")
            }
            if index.position(of: property.entity) == nil {
                refuse(
                    .unknownEntity, entity.name, property.name,
                    "\(lead) there is no entity \(property.entity)."
                        + hint(forEntity: property.entity))
            }
            if let limit = property.fetchLimit, limit < 1 {
                refuse(
                    .invalidBounds, entity.name, property.name,
                    "\(lead) its limit \(limit) is below 1.")
            }
            if let format = property.predicateFormat {
                checkPredicate(format, entity.name, property.name, lead)
            }
        }
    }

    /// True if the entity has a property of a name, or a super-entity has one or a fetched one.
    private func isTaken(_ name: String, above position: Int) -> Bool {
        if index.find(name, in: position) != nil { return true }
        return index.lineage(of: position).dropFirst().contains { parent in
            entities[parent].fetchedProperties.contains { $0.name.hasSameBytes(as: name) }
        }
    }

    mutating func checkPredicate(
        _ format: String, _ entity: String?, _ property: String, _ lead: String
    ) {
        do {
            _ = try FetchPredicate(format: format, arguments: [])
        } catch {
            let column = error.column.map { " at column \($0)" } ?? ""
            refuse(
                .invalidPredicate, entity, property,
                "\(lead) its predicate can't be read\(column): \(error.message)")
        }
    }
}
