import Anabranch

/// One entity of a model as text and as JSON, with the properties that it declares itself.
struct EntityText {
    let entity: EntityDescription

    init(_ entity: EntityDescription) { self.entity = entity }

    private var attributes: [AttributeDescription] {
        entity.attributes.filter { $0.entity == entity }
    }

    private var composites: [CompositeAttributeDescription] {
        entity.compositeAttributes.filter { $0.entity == entity }
    }

    private var relationships: [RelationshipDescription] {
        entity.relationships.filter { $0.entity == entity }
    }

    private var fetchedProperties: [FetchedPropertyDescription] {
        entity.fetchedProperties.filter { $0.entity == entity }
    }

    // MARK: - Text

    /// The name with what is said of the entity as a whole.
    var title: String {
        var parts: [String] = []
        if let parent = entity.superentity { parts.append("inherits from \(parent.name)") }
        if entity.isAbstract { parts.append("abstract") }
        if let name = entity.representedClassName { parts.append("class \(name)") }
        if let former = entity.declaration.renamingIdentifier, former != entity.name {
            parts.append("formerly \(former)")
        }
        if !entity.isSynced { parts.append("not synced") }
        if entity.deletePolicy != .deleteWins { parts.append("\(entity.deletePolicy)") }
        return ([entity.name] + parts).joined(separator: ", ")
    }

    /// The properties; `nil` if the entity declares none.
    var table: TextTable? {
        guard !attributes.isEmpty || !relationships.isEmpty || !fetchedProperties.isEmpty else {
            return nil
        }
        var table = TextTable(["PROPERTY", "TYPE", "SETTINGS"].map { .init($0) })
        for attribute in attributes { table.append(PropertyText.row(attribute)) }
        for relationship in relationships { table.append(PropertyText.row(relationship)) }
        for property in fetchedProperties { table.append(PropertyText.row(property)) }
        return table
    }

    /// The constraints and indexes, one a line.
    var lines: [String] {
        composites.map { composite in
            "composite \(composite.name): \(composite.typeName)"
                + (composite.isOptional ? ", optional" : "")
        }
            + entity.ownUniquenessConstraints.map { constraint in
                "unique: " + constraint.map(\.name).joined(separator: ", ")
            }
            + entity.indexes.map { "index \($0.name): \($0.columns)" }
    }

    // MARK: - JSON

    var json: String {
        JSONText.object { json in
            json.member("entity", entity.name)
            json.member("superentity", entity.superentity?.name)
            json.member("isAbstract", entity.isAbstract)
            json.member("class", entity.representedClassName)
            json.member("wireName", entity.wireName.string)
            json.member("renamingIdentifier", entity.declaration.renamingIdentifier)
            json.member("deletePolicy", "\(entity.deletePolicy)")
            json.member("isSynced", entity.isSynced)
            json.array("attributes") { json in
                for attribute in attributes { write(attribute, to: &json) }
            }
            if !composites.isEmpty {
                json.array("compositeAttributes") { json in
                    for composite in composites { write(composite, to: &json) }
                }
            }
            json.array("relationships") { json in
                for relationship in relationships { write(relationship, to: &json) }
            }
            json.array("fetchedProperties") { json in
                for property in fetchedProperties { write(property, to: &json) }
            }
            json.array("uniquenessConstraints") { json in
                for constraint in entity.ownUniquenessConstraints {
                    json.array { json in for member in constraint { json.string(member.name) } }
                }
            }
            json.array("indexes") { json in
                for index in entity.indexes { write(index, to: &json) }
            }
        }
    }

    private func write(_ attribute: AttributeDescription, to json: inout JSONText) {
        let declared = attribute.declaration
        json.object { json in
            json.member("name", attribute.name)
            json.member("type", "\(attribute.type)")
            json.member("isOptional", attribute.isOptional)
            json.member("isTransient", attribute.isTransient)
            json.member("derivationExpression", attribute.derivationExpression)
            json.member("default", raw: ValueText.json(attribute.defaultValue))
            json.member("minimum", raw: ValueText.json(declared.minimum ?? .null))
            json.member("maximum", raw: ValueText.json(declared.maximum ?? .null))
            json.member("regularExpression", declared.regularExpression)
            write(declared.validations, to: &json)
            json.member("valueTransformer", attribute.valueTransformerName)
            json.member("mergeRule", "\(attribute.wireProperty.rule)")
            json.member("group", attribute.group?.name)
            json.member("wireName", declared.wireName)
            json.member("renamingIdentifier", declared.renamingIdentifier)
        }
    }

    private func write(_ composite: CompositeAttributeDescription, to json: inout JSONText) {
        json.object { json in
            json.member("name", composite.name)
            json.member("type", composite.typeName)
            json.member("isOptional", composite.isOptional)
            json.member("isTransient", composite.declaration.isTransient)
            json.member("elements", composite.attributes.map { $0.name })
        }
    }

    private func write(_ relationship: RelationshipDescription, to json: inout JSONText) {
        json.object { json in
            json.member("name", relationship.name)
            json.member("destination", relationship.destination.name)
            json.member("inverse", relationship.inverse?.name)
            json.member("isToMany", relationship.isToMany)
            json.member("isOptional", relationship.isOptional)
            json.member("isTransient", relationship.isTransient)
            json.member("isOrdered", relationship.isOrdered)
            json.member("isAcyclic", relationship.isAcyclic)
            json.member("minCount", relationship.minCount)
            json.member("maxCount", relationship.maxCount)
            json.member("deleteRule", "\(relationship.deleteRule)")
            write(relationship.declaration.validations, to: &json)
            json.member("wireName", relationship.declaration.wireName)
            json.member("renamingIdentifier", relationship.declaration.renamingIdentifier)
        }
    }

    private func write(_ property: FetchedPropertyDescription, to json: inout JSONText) {
        json.object { json in
            json.member("name", property.name)
            json.member("destination", property.destination.name)
            json.member("predicate", property.declaration.predicateFormat)
            json.member("fetchLimit", property.fetchLimit)
        }
    }

    private func write(_ rules: [ValidationRule], to json: inout JSONText) {
        json.member("validations", rules.map { $0.predicateFormat })
    }

    private func write(_ index: IndexDescription, to json: inout JSONText) {
        json.object { json in
            json.member("name", index.name)
            json.array("elements") { json in
                for element in index.elements {
                    json.object { json in
                        json.member("property", element.property.name)
                        json.member("isAscending", element.isAscending)
                    }
                }
            }
        }
    }
}

extension IndexDescription {
    /// The names of the columns in their order.
    var columns: String {
        elements.map { element in
            element.property.name + (element.isAscending ? "" : " descending")
        }.joined(separator: ", ")
    }
}
