extension ModelWriter {
    /// The user info of an entity, with entries for the settings that Xcode has no place for.
    func entries(of entity: EntityDeclaration) -> [String: String] {
        var entries = entity.userInfo
        setWireName(entity.wireName, usual: entity.renamingIdentifier ?? entity.name, in: &entries)
        set(
            UserInfoKey.deletePolicy, "\(entity.deletePolicy)",
            usual: "\(DeletePolicy.deleteWins)", in: &entries)
        for configuration in declaration.configurations {
            guard configuration.entities.contains(where: { $0.hasSameBytes(as: entity.name) })
            else { continue }
            let key = UserInfoKey.unsyncedPrefix + configuration.name
            let isSynced = !(entries[key].flatMap(FlagText.flag) ?? false)
            if !configuration.isSynced || isSynced != configuration.isSynced {
                entries[key] = configuration.isSynced ? nil : "YES"
            }
        }
        return entries
    }

    /// The user info of an attribute, with entries for the settings that Xcode has no place for.
    func entries(of attribute: AttributeDeclaration, in entity: EntityDeclaration) -> [String:
        String]
    {
        var entries = attribute.userInfo
        setWireName(
            attribute.wireName, usual: attribute.renamingIdentifier ?? attribute.name,
            in: &entries)
        set(UserInfoKey.mergeRule, "\(attribute.mergeRule)", usual: "lastWriter", in: &entries)
        let group = entity.attributeGroups.first { group in
            group.attributes.contains { $0.hasSameBytes(as: attribute.name) }
        }
        entries[UserInfoKey.mergeGroup] = group?.name
        let search = entries[UserInfoKey.searchable].flatMap(SearchText.search)
        if (search?.setting) != attribute.search {
            entries[UserInfoKey.searchable] = attribute.search.map(SearchText.text)
        }
        entries[UserInfoKey.defaultValue] = defaultEntry(of: attribute)
        ValidationEntries.write(attribute.validations, to: &entries)
        return entries
    }

    /// The user info of a composite attribute, with an entry for its wire name.
    func entries(of composite: CompositeAttribute) -> [String: String] {
        var entries = composite.userInfo
        setWireName(
            composite.wireName, usual: composite.renamingIdentifier ?? composite.name,
            in: &entries)
        return entries
    }

    /// The user info of a relationship, with entries for the settings that Xcode has no place for.
    func entries(of relationship: RelationshipDeclaration) -> [String: String] {
        var entries = relationship.userInfo
        setWireName(
            relationship.wireName, usual: relationship.renamingIdentifier ?? relationship.name,
            in: &entries)
        let present = entries[UserInfoKey.acyclic].flatMap(FlagText.flag)
        if present != relationship.isAcyclic {
            entries[UserInfoKey.acyclic] = relationship.isAcyclic ? "YES" : nil
        }
        ValidationEntries.write(relationship.validations, to: &entries)
        return entries
    }

    /// The entry of a default; one that the attribute's user info has already stays if it is right.
    private func defaultEntry(of attribute: AttributeDeclaration) -> String? {
        let present = attribute.userInfo[UserInfoKey.defaultValue]
        if let present, let value = TaggedValueText.value(of: present),
            attribute.type.coerce(value) ?? value == attribute.defaultValue
        {
            return present
        }
        guard case .entry(let text)? = DefaultForm(attribute) else { return nil }
        return text
    }

    private func setWireName(_ name: String?, usual: String, in entries: inout [String: String]) {
        set(UserInfoKey.wireName, name ?? usual, usual: usual, in: &entries)
    }

    /// Sets an entry, unless it is not there and the setting has its usual value.
    private func set(
        _ key: String, _ text: String, usual: String, in entries: inout [String: String]
    ) {
        if entries[key] == nil, text.hasSameBytes(as: usual) { return }
        entries[key] = text
    }
}
