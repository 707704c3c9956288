import AnabranchReplication

extension ModelChecker {
    /// Checks that no composite attribute nests too deep, before anything walks through one.
    ///
    /// - Returns: False if one does.
    mutating func checkDepthOfComposites() -> Bool {
        let before = problems.count
        for entity in declaration.entities {
            for composite in entity.compositeAttributes
            where composite.depth > ModelLimits.deepestComposite {
                refuse(
                    .limitExceeded, entity.name, composite.name,
                    "Can't use composite attribute \(entity.name).\(composite.name) because more "
                        + "than \(ModelLimits.deepestComposite) composite attributes are inside "
                        + "each other.")
            }
        }
        return problems.count == before
    }

    /// Checks the elements of composite attributes as such.
    ///
    /// As attributes and members of a group, the elements are checked with the other attributes.
    mutating func checkComposites() {
        var types: [WireName: (path: String, composite: CompositeAttribute)] = [:]
        for entity in declaration.entities {
            for composite in entity.compositeAttributes {
                let path = "\(entity.name).\(composite.name)"
                checkForm(
                    of: composite.name, wireName: composite.resolvedWireName, entity: entity,
                    composite.name)
                if composite.elementCount == 0 {
                    refuse(
                        .invalidProperty, entity.name, composite.name,
                        "Can't use composite attribute \(path) because it has no elements; give it "
                            + "some, or remove it.")
                }
                check(elementsOf: composite, at: composite.name, of: entity, types: &types)
            }
        }
    }

    private mutating func check(
        elementsOf composite: CompositeAttribute, at path: String, of entity: EntityDeclaration,
        types: inout [WireName: (path: String, composite: CompositeAttribute)]
    ) {
        checkType(of: composite, at: path, of: entity, types: &types)
        for attribute in composite.attributes {
            checkForm(
                of: attribute.name, wireName: attribute.resolvedWireName, entity: entity,
                "\(path).\(attribute.name)")
        }
        // Two attributes of one name are found among the entity's attributes.
        var names = Set(composite.attributes.map { WireName($0.name) })
        for inner in composite.compositeAttributes {
            let own = "\(path).\(inner.name)"
            checkForm(of: inner.name, wireName: inner.resolvedWireName, entity: entity, own)
            if !names.insert(WireName(inner.name)).inserted {
                refuse(
                    .duplicateName, entity.name, own,
                    "Can't use property \(entity.name).\(own) because it is there twice.")
            }
            check(elementsOf: inner, at: own, of: entity, types: &types)
        }
    }

    /// Checks that composite attributes of one type have the same elements.
    private mutating func checkType(
        of composite: CompositeAttribute, at path: String, of entity: EntityDeclaration,
        types: inout [WireName: (path: String, composite: CompositeAttribute)]
    ) {
        let type = composite.resolvedTypeName
        if let objection = NameRules.objection(toName: type, isEntity: false) {
            refuse(
                .invalidName, entity.name, path,
                "Can't use the type name of composite attribute \(entity.name).\(path) because "
                    + "\(objection).")
        }
        guard let other = types[WireName(type)] else {
            types[WireName(type)] = ("\(entity.name).\(path)", composite)
            return
        }
        guard
            other.composite.attributes != composite.attributes
                || other.composite.compositeAttributes != composite.compositeAttributes
        else { return }
        refuse(
            .duplicateName, entity.name, path,
            "Can't use composite attribute \(entity.name).\(path) because \(other.path) has the "
                + "type \(type) too and other elements; give one of them a type name of its own.")
    }
}
