import AnabranchReplication

extension ModelChecker {
    /// Names and wire names of entities, and the form of all names.
    mutating func checkNames() {
        var names: Set<WireName> = []
        var wireNames: [WireName: String] = [:]
        for entity in entities {
            checkForm(of: entity.name, wireName: entity.resolvedWireName, entity: entity, nil)
            guard names.insert(WireName(entity.name)).inserted else {
                refuse(
                    .duplicateName, entity.name, nil,
                    "Can't use entity \(entity.name) because there are two of that name.")
                continue
            }
            let wireName = WireName(entity.resolvedWireName)
            if let other = wireNames.updateValue(entity.name, forKey: wireName) {
                refuse(
                    .duplicateWireName, entity.name, nil,
                    "Can't use entity \(entity.name) because \(other) has the wire name "
                        + "\(wireName) too; give one of them a wire name of its own.")
            }
            for property in entity.namedProperties {
                checkForm(
                    of: property.name, wireName: property.wireName, entity: entity, property.name)
            }
        }
    }

    private mutating func checkForm(
        of name: String, wireName: String, entity: Entity, _ property: String?
    ) {
        let subject = property.map { "property \(entity.name).\($0)" } ?? "entity \(entity.name)"
        if let objection = NameRules.objection(toName: name, isEntity: property == nil) {
            refuse(
                .invalidName, entity.name, property,
                "Can't use the name of \(subject) because \(objection).")
        } else if let objection = NameRules.objection(toWireName: wireName) {
            refuse(
                .invalidName, entity.name, property,
                "Can't use the wire name of \(subject) because \(objection).")
        }
    }

    /// Names and wire names of the properties and groups of one hierarchy, which share a table and
    /// a stream.
    ///
    /// - Parameter members: Ancestors before their sub-entities.
    mutating func checkPropertyNames(ofHierarchy members: [Int]) {
        var names: [WireName: String] = [:]
        var wireNames: [WireName: String] = [:]
        for entity in members.map({ entities[$0] }) {
            for property in entity.namedProperties {
                let path = "\(entity.name).\(property.name)"
                if let other = names[WireName(property.name)] {
                    refuse(property.name, of: entity.name, besides: other)
                    continue
                }
                names[WireName(property.name)] = entity.name
                if let other = wireNames.updateValue(path, forKey: WireName(property.wireName)) {
                    refuse(
                        .duplicateWireName, entity.name, property.name,
                        "Can't use property \(path) because \(other) has the wire name "
                            + "\(property.wireName) too; give one of them a wire name of its own.")
                }
            }
        }
        for entity in members.map({ entities[$0] }) {
            for group in entity.attributeGroups {
                let path = "group \(entity.name).\(group.name)"
                if let other = wireNames.updateValue(path, forKey: WireName(group.name)) {
                    refuse(
                        .duplicateWireName, entity.name, group.name,
                        "Can't use \(path) because \(other) has that wire name too; give one of "
                            + "them another.")
                }
            }
        }
    }

    private mutating func refuse(_ property: String, of entity: String, besides other: String) {
        let isInherited =
            index.position(of: entity).map { index.lineage(of: $0) }?
            .contains { entities[$0].name.hasSameBytes(as: other) } ?? false
        if isInherited {
            refuse(
                .duplicateName, entity, property,
                "Can't use property \(entity).\(property) because "
                    + (other == entity ? "it is there twice." : "\(other) has one it inherits."))
        } else {
            refuse(
                unsupported: .sameNameOnTwoBranches, entity, property,
                "Can't use property \(entity).\(property) because \(other), of the same "
                    + "hierarchy, has one of that name, which is not supported yet; rename it, or "
                    + "declare it in a common super-entity.")
        }
    }
}

extension Entity {
    var namedProperties: [(name: String, wireName: String)] {
        attributes.map { ($0.name, $0.resolvedWireName) }
            + relationships.map { ($0.name, $0.resolvedWireName) }
    }
}
