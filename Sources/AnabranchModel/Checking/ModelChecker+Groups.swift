import AnabranchReplication

extension ModelChecker {
    mutating func checkGroups(declaredBy position: Int) {
        let entity = entities[position]
        var groups: [WireName: String] = [:]
        for group in entity.attributeGroups {
            check(group, of: entity)
            for name in group.attributes {
                checkMember(name, of: group, declaredBy: position)
                guard let other = groups.updateValue(group.name, forKey: WireName(name)) else {
                    continue
                }
                refuse(
                    .invalidProperty, entity.name, name,
                    "\(path(group, entity.name)) \(name) is in it twice, or in \(other) too; an "
                        + "attribute is in one group.")
            }
        }
    }

    private func path(_ group: AttributeGroup, _ entity: String) -> String {
        "Can't use group \(entity).\(group.name) because"
    }

    private mutating func check(_ group: AttributeGroup, of entity: EntityDeclaration) {
        let lead = path(group, entity.name)
        if let objection = NameRules.objection(toWireName: group.name) {
            refuse(.invalidName, entity.name, group.name, "\(lead) of its name: \(objection).")
        }
        if group.attributes.isEmpty {
            refuse(.invalidProperty, entity.name, group.name, "\(lead) it names no attribute.")
        }
        if group.attributes.count > Limits.maximumMembers {
            refuse(
                .limitExceeded, entity.name, group.name,
                "\(lead) it has \(group.attributes.count) attributes; the most is "
                    + "\(Limits.maximumMembers).")
        }
    }

    private mutating func checkMember(
        _ name: String, of group: AttributeGroup, declaredBy position: Int
    ) {
        let entity = entities[position].name
        let lead = path(group, entity)
        let composites = entities[position].compositeAttributes
        if composites.contains(where: { $0.name.hasSameBytes(as: name) }) {
            return refuse(
                .invalidProperty, entity, name,
                "\(lead) \(name) is a composite attribute, which is a group of its own.")
        }
        guard let found = index.find(name, in: position) else {
            return refuse(
                .unknownProperty, entity, name,
                "\(lead) there is no attribute \(name).\(hint(forAttribute: name, of: position))")
        }
        guard found.entity == position else {
            return refuse(
                .invalidProperty, entity, name,
                "\(lead) \(name) is inherited; declare the group in "
                    + "\(entities[found.entity].name), where it is declared.")
        }
        guard case .attribute(let attribute) = found.property else {
            return refuse(
                .invalidProperty, entity, name,
                "\(lead) \(name) is a relationship; a group has attributes only.")
        }
        if attribute.isTransient {
            refuse(
                .invalidProperty, entity, name,
                "\(lead) \(name) is transient: nothing of it travels.")
        } else if attribute.isDerived {
            refuse(
                .invalidProperty, entity, name, "\(lead) \(name) is derived: nothing of it travels."
            )
        } else if attribute.mergeRule != .lastWriter {
            refuse(
                .invalidProperty, entity, name,
                "\(lead) \(name) merges by \(attribute.mergeRule); what is in a group merges "
                    + "with it.")
        }
    }
}
