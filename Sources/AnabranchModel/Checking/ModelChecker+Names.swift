import AnabranchReplication

extension ModelChecker {
    /// Checks the form of all names, and that names and wire names of entities are unique.
    mutating func checkNames() {
        var names: Set<WireName> = []
        var wireNames: [WireName: String] = [:]
        for entity in declaration.entities {
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

    mutating func checkForm(
        of name: String, wireName: String, entity: EntityDeclaration, _ property: String?
    ) {
        let subject = property.map { "property \(entity.name).\($0)" } ?? "entity \(entity.name)"
        if let objection = NameRules.objection(toName: name, isEntity: property == nil) {
            refuse(
                .invalidName, entity.name, property,
                "Can't use the name of \(subject) because \(objection).")
        } else if let objection = property == nil
            ? NameRules.objection(toWireNameOfEntity: wireName)
            : NameRules.objection(toWireName: wireName)
        {
            refuse(
                .invalidName, entity.name, property,
                "Can't use the wire name of \(subject) because \(objection).")
        }
    }

    /// Checks that names and wire names of properties and groups are unique in each entity of one
    /// hierarchy, inherited ones included.
    ///
    /// Two entities, neither above the other, may have properties of the same name, and of the same
    /// wire name. No record has both, and everything on the wire and in a store names the record.
    /// The two properties have columns of their own.
    ///
    /// - Parameter members: Positions of the entities, ancestors before their sub-entities.
    mutating func checkPropertyNames(ofHierarchy members: [Int]) {
        for member in members { checkOwnProperties(of: member) }
        for member in members { checkGroupNames(of: member) }
    }

    /// The entity and those above it, the root first.
    private func ancestry(of member: Int) -> [EntityDeclaration] {
        index.lineage(of: member).reversed().map { entities[$0] }
    }

    private mutating func checkOwnProperties(of member: Int) {
        var names: [WireName: String] = [:]
        var wireNames: [WireName: String] = [:]
        let own = entities[member].name
        for entity in ancestry(of: member) {
            let isOwn = entity.name.hasSameBytes(as: own)
            for property in entity.namedProperties {
                let path = "\(entity.name).\(property.name)"
                if let other = names[WireName(property.name)] {
                    if isOwn { refuse(property.name, of: own, besides: other) }
                    continue
                }
                names[WireName(property.name)] = entity.name
                let other = wireNames.updateValue(path, forKey: WireName(property.wireName))
                if let other, isOwn {
                    refuse(
                        .duplicateWireName, own, property.name,
                        "Can't use property \(path) because \(other) has the wire name "
                            + "\(property.wireName) too; give one of them a wire name of its own.")
                }
            }
            for composite in entity.compositeAttributes {
                guard let other = names.updateValue(entity.name, forKey: WireName(composite.name))
                else { continue }
                if isOwn { refuse(composite.name, of: own, besides: other) }
            }
        }
    }

    /// Groups share the wire names of the properties beside, above and below them.
    private mutating func checkGroupNames(of member: Int) {
        var wireNames: [WireName: (path: String, isOwn: Bool)] = [:]
        let ancestry = ancestry(of: member)
        let own = entities[member].name
        for entity in ancestry {
            let isOwn = entity.name.hasSameBytes(as: own)
            for property in entity.namedProperties {
                wireNames[WireName(property.wireName)] = ("\(entity.name).\(property.name)", isOwn)
            }
        }
        for entity in ancestry {
            let isOwn = entity.name.hasSameBytes(as: own)
            for group in entity.attributeGroups {
                let path = "group \(entity.name).\(group.name)"
                let other = wireNames.updateValue((path, isOwn), forKey: WireName(group.name))
                guard let other, isOwn || other.isOwn else { continue }
                refuse(
                    .duplicateWireName, entity.name, group.name,
                    "Can't use \(path) because \(other.path) has that wire name too; give one of "
                        + "them another.")
            }
        }
    }

    private mutating func refuse(_ property: String, of entity: String, besides other: String) {
        refuse(
            .duplicateName, entity, property,
            "Can't use property \(entity).\(property) because "
                + (other == entity ? "it is there twice." : "\(other) has one it inherits."))
    }
}

extension EntityDeclaration {
    var namedProperties: [(name: String, wireName: String)] {
        attributes.map { ($0.name, $0.resolvedWireName) }
            + relationships.map { ($0.name, $0.resolvedWireName) }
    }
}
