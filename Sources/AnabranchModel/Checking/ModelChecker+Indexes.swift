import AnabranchReplication

extension ModelChecker {
    mutating func checkConstraints(declaredBy position: Int) {
        let entity = entities[position].name
        for constraint in entities[position].uniquenessConstraints {
            let text = constraint.attributes.joined(separator: ", ")
            let lead = "Can't make (\(text)) of entity \(entity) unique because"
            var seen: Set<WireName> = []
            if constraint.attributes.isEmpty {
                refuse(.invalidProperty, entity, nil, "\(lead) the constraint names no attribute.")
            }
            for name in constraint.attributes {
                if !seen.insert(WireName(name)).inserted {
                    refuse(.invalidProperty, entity, name, "\(lead) \(name) is there twice.")
                }
                checkMember(name, ofConstraintOf: position, lead: lead)
            }
        }
    }

    private mutating func checkMember(_ name: String, ofConstraintOf position: Int, lead: String) {
        let entity = entities[position].name
        switch index.find(name, in: position)?.property {
        case nil:
            refuse(
                .unknownProperty, entity, name,
                "\(lead) there is no attribute \(name).\(hint(forAttribute: name, of: position))")
        case .relationship:
            refuse(
                unsupported: .relationshipInConstraint, entity, name,
                "\(lead) \(name) is a relationship, which constraints do not support yet.")
        case .attribute(let attribute) where attribute.isTransient:
            refuse(.invalidProperty, entity, name, "\(lead) \(name) is transient and not stored.")
        case .attribute(let attribute) where attribute.isDerived:
            refuse(.invalidProperty, entity, name, "\(lead) \(name) is derived and not stored.")
        case .attribute: break
        }
    }

    mutating func checkIndexes(declaredBy position: Int) {
        let entity = entities[position].name
        var names: Set<WireName> = []
        for declared in entities[position].indexes {
            let lead = "Can't make index \(declared.name) of entity \(entity) because"
            if let objection = NameRules.objection(toWireName: declared.name) {
                refuse(.invalidName, entity, nil, "\(lead) of its name: \(objection).")
            }
            if !names.insert(WireName(declared.name)).inserted {
                refuse(.duplicateName, entity, nil, "\(lead) there are two of that name.")
            }
            for element in declared.elements {
                checkMember(element.property, ofIndexOf: position, lead: lead)
            }
        }
    }

    private mutating func checkMember(_ name: String, ofIndexOf position: Int, lead: String) {
        let entity = entities[position].name
        switch index.hasColumn(name, in: position) {
        case nil:
            refuse(
                .unknownProperty, entity, name,
                "\(lead) there is no property \(name).\(hint(forColumn: name, of: position))")
        case false?:
            refuse(
                .invalidProperty, entity, name,
                "\(lead) \(name) has no column: it is transient or derived, or its inverse or a "
                    + "table of links is stored.")
        case true?: break
        }
    }
}
