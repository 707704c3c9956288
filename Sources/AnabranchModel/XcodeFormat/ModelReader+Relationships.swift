extension ModelReader {
    mutating func read(relationship element: ModelElement, of entity: String)
        -> RelationshipDeclaration
    {
        let name = element.attributes["name"] ?? ""
        remember(element, entity: entity, property: name)
        var relationship = RelationshipDeclaration(
            name, to: element.attributes["destinationEntity"] ?? "")
        relationship.isOptional = element.flag("optional")
        relationship.isTransient = element.flag("transient")
        relationship.isOrdered = element.flag("ordered")
        relationship.renamingIdentifier = element.text("elementID")
        relationship.versionHashModifier = element.text("versionHashModifier")
        relationship.userInfo = userInfo(of: element)
        relationship.deleteRule = deleteRule(of: element, entity: entity, property: name)
        readCounts(of: element, into: &relationship, entity: entity)
        readInverse(of: element, into: &relationship, entity: entity)
        return relationship
    }

    private mutating func deleteRule(
        of element: ModelElement, entity: String, property: String
    ) -> DeleteRule {
        switch element.text("deletionRule") {
        case "Nullify": return .nullify
        case "Cascade": return .cascade
        case "Deny": return .deny
        case "No Action", nil: return .noAction
        case let other?:
            refuse(
                .invalidProperty, element, entity: entity, property: property,
                "Can't use relationship \(entity).\(property) because there is no deletion rule "
                    + "\(other).")
            return .noAction
        }
    }

    private mutating func readCounts(
        of element: ModelElement, into relationship: inout RelationshipDeclaration, entity: String
    ) {
        relationship.isToMany = element.flag("toMany")
        relationship.minCount =
            count("minCount", of: element, entity: entity, property: relationship.name) ?? 0
        let most = count("maxCount", of: element, entity: entity, property: relationship.name)
        if relationship.isToMany {
            // Compiled models write 0 for "unlimited".
            relationship.maxCount = most == 0 ? nil : most
        } else {
            if most == nil {
                warn(
                    .toOneWithoutMaxCount, entity: entity, property: relationship.name,
                    "Relationship \(entity).\(relationship.name) is to-one, though the file does "
                        + "not bound it to 1.")
            }
            relationship.maxCount = most ?? 1
        }
    }

    private mutating func count(
        _ name: String, of element: ModelElement, entity: String, property: String
    ) -> Int? {
        guard let text = element.text(name) else { return nil }
        if let count = Int(text) { return count }
        refuse(
            .invalidBounds, element, entity: entity, property: property,
            "Can't bound relationship \(entity).\(property) because its \(name) \"\(text)\" is no "
                + "number.")
        return nil
    }

    private mutating func readInverse(
        of element: ModelElement, into relationship: inout RelationshipDeclaration, entity: String
    ) {
        relationship.inverse = element.text("inverseName")
        if (relationship.inverse == nil) != (element.text("inverseEntity") == nil) {
            refuse(
                .inverseMismatch, element, entity: entity, property: relationship.name,
                "Can't use relationship \(entity).\(relationship.name) because it names only one "
                    + "of inverseName and inverseEntity.")
        }
    }
}
