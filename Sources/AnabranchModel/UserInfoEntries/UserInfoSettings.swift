import AnabranchReplication

/// Applies the settings that the user infos of a declaration hold to what they are settings of.
///
/// Model files and compiled models have the same user infos, so a model means the same in both
/// forms.
struct UserInfoSettings {
    /// An entry that can't be used.
    struct Problem {
        let code: ModelError.Code
        let entity: String
        /// The property, by its path if it is an element of a composite attribute.
        let property: String?
        let message: String

        func error(in file: String, line: Int? = nil) -> ModelError {
            ModelError(code, entity: entity, property: property, file: file, line: line, message)
        }
    }

    private var problems: [Problem] = []

    /// - Returns: The entries that can't be used.
    static func apply(to declaration: inout ModelDeclaration) -> [Problem] {
        var settings = UserInfoSettings()
        settings.applyAll(to: &declaration)
        return settings.problems
    }

    private mutating func applyAll(to declaration: inout ModelDeclaration) {
        for place in declaration.entities.indices { apply(to: &declaration.entities[place]) }
        for entity in declaration.entities {
            applyUnsynced(of: entity, to: &declaration.configurations)
        }
    }

    private mutating func apply(to entity: inout EntityDeclaration) {
        entity.wireName = entity.userInfo[UserInfoKey.wireName]
        if let name = entity.userInfo[UserInfoKey.deletePolicy] {
            entity.deletePolicy = policy(named: name, of: entity.name)
        }
        for place in entity.attributes.indices {
            let attribute = entity.attributes[place]
            entity.attributes[place] = applied(to: attribute, of: entity.name, attribute.name)
            if let group = attribute.userInfo[UserInfoKey.mergeGroup] {
                entity.add(attribute.name, toGroup: group)
            }
        }
        for place in entity.compositeAttributes.indices {
            let composite = entity.compositeAttributes[place]
            entity.compositeAttributes[place] =
                applied(to: composite, of: entity.name, composite.name)
        }
        for place in entity.relationships.indices {
            entity.relationships[place] =
                applied(to: entity.relationships[place], of: entity.name)
        }
    }

    private mutating func policy(named name: String, of entity: String) -> DeletePolicy {
        if let policy = DeletePolicy.allCases.first(where: { "\($0)" == name }) { return policy }
        refuse(
            .invalidProperty, entity, nil,
            "Can't use the delete policy \(name) of \(entity): there are deleteWins and "
                + "updateWins.")
        return .deleteWins
    }

    private mutating func applied(
        to attribute: AttributeDeclaration, of entity: String, _ path: String
    ) -> AttributeDeclaration {
        var attribute = attribute
        attribute.wireName = attribute.userInfo[UserInfoKey.wireName]
        if let name = attribute.userInfo[UserInfoKey.mergeRule] {
            attribute.mergeRule = rule(named: name, of: entity, path)
        }
        if let text = attribute.userInfo[UserInfoKey.searchable] {
            attribute.search = search(text, of: entity, path)
        }
        attribute.validations += validations(in: attribute.userInfo, of: entity, path)
        guard attribute.derivationExpression == nil,
            let text = attribute.userInfo[UserInfoKey.defaultValue]
        else { return attribute }
        if let value = TaggedValueText.value(of: text) {
            attribute.defaultValue = value
        } else {
            refuse(
                .invalidValue, entity, path,
                "Can't use the \(UserInfoKey.defaultValue) of attribute \(entity).\(path) because "
                    + "\"\(text)\" is no type with a value, such as binary:AAEC.")
        }
        return attribute
    }

    private mutating func search(_ text: String, of entity: String, _ path: String) -> TextSearch? {
        if let search = SearchText.search(of: text) { return search.setting }
        refuse(
            .invalidValue, entity, path,
            "Can't search attribute \(entity).\(path) because its \(UserInfoKey.searchable) is "
                + "\"\(text)\": write YES, NO, or the lengths of word beginnings, such as 2 3.")
        return nil
    }

    private mutating func rule(named name: String, of entity: String, _ path: String) -> MergeRule {
        let rules: [MergeRule] = [.lastWriter, .firstWriter, .max, .min, .counter, .keepBoth]
        if let rule = rules.first(where: { "\($0)" == name }) { return rule }
        refuse(
            .invalidProperty, entity, path,
            "Can't merge \(entity).\(path) by \(name): there are "
                + "\(rules.map { "\($0)" }.joined(separator: ", ")).")
        return .lastWriter
    }

    private mutating func applied(
        to composite: CompositeAttribute, of entity: String, _ path: String
    ) -> CompositeAttribute {
        var composite = composite
        composite.wireName = composite.userInfo[UserInfoKey.wireName]
        if let group = composite.userInfo[UserInfoKey.mergeGroup] {
            refuse(
                .invalidProperty, entity, path,
                "Can't put composite attribute \(entity).\(path) in the group \(group) because it "
                    + "is a group of its own; remove that entry of its user info.")
        }
        for place in composite.attributes.indices {
            let element = composite.attributes[place]
            composite.attributes[place] = applied(
                to: element, of: entity, "\(path).\(element.name)")
        }
        for place in composite.compositeAttributes.indices {
            let element = composite.compositeAttributes[place]
            composite.compositeAttributes[place] = applied(
                to: element, of: entity, "\(path).\(element.name)")
        }
        return composite
    }

    private mutating func applied(
        to relationship: RelationshipDeclaration, of entity: String
    ) -> RelationshipDeclaration {
        var relationship = relationship
        relationship.wireName = relationship.userInfo[UserInfoKey.wireName]
        if let text = relationship.userInfo[UserInfoKey.acyclic] {
            if let flag = FlagText.flag(of: text) {
                relationship.isAcyclic = flag
            } else {
                refuse(
                    .invalidValue, entity, relationship.name,
                    "Can't use relationship \(entity).\(relationship.name) because its "
                        + "\(UserInfoKey.acyclic) is \"\(text)\", which is neither YES nor NO.")
            }
        }
        relationship.validations += validations(
            in: relationship.userInfo, of: entity, relationship.name)
        return relationship
    }

    private mutating func validations(
        in userInfo: [String: String], of entity: String, _ path: String
    ) -> [ValidationRule] {
        let (rules, strayKeys) = ValidationEntries.read(userInfo)
        for key in strayKeys {
            refuse(
                .invalidPredicate, entity, path,
                "Can't validate \(entity).\(path) by the user info entry \(key): write a "
                    + "predicate as anabranch.validation.1, and its warning as "
                    + "anabranch.validation.1.warning.")
        }
        return rules
    }

    /// Marks the configurations that are not synced. Xcode's configurations have no user info of
    /// their own.
    private mutating func applyUnsynced(
        of entity: EntityDeclaration, to configurations: inout [ModelConfiguration]
    ) {
        for (key, text) in entity.userInfo.sorted(by: { $0.key.precedesByBytes($1.key) })
        where key.hasPrefix(UserInfoKey.unsyncedPrefix) {
            let name = String(key.dropFirst(UserInfoKey.unsyncedPrefix.count))
            let place = configurations.firstIndex {
                $0.name.hasSameBytes(as: name)
                    && $0.entities.contains { $0.hasSameBytes(as: entity.name) }
            }
            guard let place, let isUnsynced = FlagText.flag(of: text) else {
                refuse(
                    .invalidValue, entity.name, nil,
                    "Can't use the user info entry \(key) of entity \(entity.name) because "
                        + (place == nil
                            ? "the entity is in no configuration of that name."
                            : "\"\(text)\" is neither YES nor NO."))
                continue
            }
            if isUnsynced { configurations[place].isSynced = false }
        }
    }

    private mutating func refuse(
        _ code: ModelError.Code, _ entity: String, _ property: String?, _ message: String
    ) {
        problems.append(Problem(code: code, entity: entity, property: property, message: message))
    }
}

extension EntityDeclaration {
    fileprivate mutating func add(_ attribute: String, toGroup name: String) {
        if let place = attributeGroups.firstIndex(where: { $0.name.hasSameBytes(as: name) }) {
            attributeGroups[place].attributes.append(attribute)
        } else {
            attributeGroups.append(AttributeGroup(name, attribute))
        }
    }
}
