import Anabranch

/// A setting that differs between two versions of a model, beside the changes of the schema.
struct SettingDifference {
    /// The entity; `nil` if the setting is the model's.
    let entity: String?
    /// The property; `nil` if the setting is the entity's.
    let property: String?
    let setting: String
    let old: String?
    let new: String?

    /// The difference in words: `City.name: default none → "x"`.
    var description: String {
        let place = [entity, property].compactMap { $0 }.joined(separator: ".")
        return "\(place.isEmpty ? "" : place + ": ")\(setting) \(old ?? "none") → \(new ?? "none")"
    }

    /// The differences between the entities and own properties that both versions have.
    static func all(
        from source: ManagedObjectModel, to destination: ManagedObjectModel
    ) -> [SettingDifference] {
        let whole = differences(settings(of: source), settings(of: destination), nil, nil)
        return whole
            + destination.entities.flatMap { entity in
                entity.former(in: source).map { all(from: $0, to: entity) } ?? []
            }
    }

    private static func all(
        from former: EntityDescription, to entity: EntityDescription
    ) -> [SettingDifference] {
        let own = differences(
            settings(of: former), settings(of: entity), entity.name, nil,
            isRenamed: former.name != entity.name)
        let properties = entity.slots.filter { $0.entity == entity }
        return own
            + properties.flatMap { property in
                property.former(in: former).map { old in
                    differences(
                        settings(of: old), settings(of: property), entity.name, property.name,
                        isRenamed: old.name != property.name)
                } ?? []
            }
    }

    private typealias Settings = [(name: String, text: String?)]

    private static let renamingIdentifier = "renaming identifier"

    /// The settings that differ; a new renaming identifier belongs to a change of the name.
    private static func differences(
        _ old: Settings, _ new: Settings, _ entity: String?, _ property: String?,
        isRenamed: Bool = false
    ) -> [SettingDifference] {
        let former = Dictionary(old.map { ($0.name, $0.text) }, uniquingKeysWith: { $1 })
        return new.compactMap { name, text in
            guard let before = former[name], before != text,
                !isRenamed || name != renamingIdentifier
            else { return nil }
            return SettingDifference(
                entity: entity, property: property, setting: name, old: before, new: text)
        }
    }

    private static func settings(of model: ManagedObjectModel) -> Settings {
        let templates = model.declaration.fetchRequestTemplates.map { template in
            let predicate = template.predicateFormat.map { " where \($0)" } ?? ""
            return "\(template.name) of \(template.entity)" + predicate
        }
        let configurations = model.configurations.map { configuration in
            let members = configuration.entities.joined(separator: ", ")
            return
                "\(configuration.name)\(configuration.isSynced ? "" : ", not synced") (\(members))"
        }
        return [
            ("version identifier", model.declaration.versionIdentifier),
            ("fetch request templates", list(templates)),
            ("configurations", list(configurations)),
        ]
    }

    private static func settings(of entity: EntityDescription) -> Settings {
        let declared = entity.declaration
        let fetched = declared.fetchedProperties.map { property in
            "\(property.name) of \(property.entity)"
                + (property.predicateFormat.map { " where \($0)" } ?? "")
                + (property.fetchLimit.map { ", at most \($0)" } ?? "")
        }
        let indexes = entity.indexes.map { "\($0.name) (\($0.columns))" }
        return [
            ("class", declared.representedClassName),
            ("indexes", list(indexes)),
            ("fetched properties", list(fetched)),
            ("version hash modifier", declared.versionHashModifier),
            (renamingIdentifier, declared.renamingIdentifier),
            ("user info", list(declared.userInfo)),
        ]
    }

    private static func settings(of property: PropertyDescription) -> Settings {
        switch property {
        case .attribute(let attribute): settings(of: attribute.declaration)
        case .relationship(let relationship): settings(of: relationship)
        }
    }

    private static func settings(of declared: AttributeDeclaration) -> Settings {
        [
            ("type", "\(declared.type)"),
            ("default", declared.defaultValue.map(PropertyText.quoted)),
            ("minimum", declared.minimum.map(PropertyText.quoted)),
            ("maximum", declared.maximum.map(PropertyText.quoted)),
            ("regular expression", declared.regularExpression),
            ("validations", list(declared.validations)),
            ("derivation", declared.derivationExpression),
            ("transformer", declared.valueTransformerName),
            ("merge rule", "\(declared.mergeRule)"),
            (
                "external storage",
                declared.allowsExternalBinaryDataStorage ? "allowed" : "not allowed"
            ),
            (
                "value in the history",
                declared.preservesValueInHistoryOnDeletion ? "kept" : "not kept"
            ),
            ("search", declared.search.map(PropertyText.search)),
            ("version hash modifier", declared.versionHashModifier),
            (renamingIdentifier, declared.renamingIdentifier),
            ("user info", list(declared.userInfo)),
        ]
    }

    private static func settings(of relationship: RelationshipDescription) -> Settings {
        let declared = relationship.declaration
        return [
            ("destination", relationship.destination.name),
            ("inverse", relationship.inverse?.description),
            ("delete rule", "\(relationship.deleteRule)"),
            ("validations", list(declared.validations)),
            ("version hash modifier", declared.versionHashModifier),
            (renamingIdentifier, declared.renamingIdentifier),
            ("user info", list(declared.userInfo)),
        ]
    }

    private static func list(_ texts: [String]) -> String? {
        texts.isEmpty ? nil : texts.joined(separator: "; ")
    }

    private static func list(_ rules: [ValidationRule]) -> String? {
        list(
            rules.map { rule in
                rule.warning.isEmpty
                    ? rule.predicateFormat : "\(rule.predicateFormat) (\(rule.warning))"
            })
    }

    private static func list(_ entries: [String: String]) -> String? {
        list(entries.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })
    }
}

extension PropertyDescription {
    /// The property of an older version that became this one.
    fileprivate func former(in entity: EntityDescription) -> PropertyDescription? {
        let identifier =
            attribute?.declaration.renamingIdentifier
            ?? relationship?.declaration.renamingIdentifier
        return identifier.flatMap(entity.property(named:)) ?? entity.property(named: name)
    }
}
