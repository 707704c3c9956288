import AnabranchReplication

/// Writes the canonical encoding of a normalized declaration.
///
/// The encoding is the three bytes `ABM`, one byte with the format's version, and a record. A
/// record is a sequence of fields in ascending order of their numbers. Each field is one byte with
/// its number, a length as LEB128, and that many bytes: a text in UTF-8, a zigzag number, a tagged
/// value, or another record. Default values are left out, so a model has exactly one encoding.
enum ModelEncoder {
    static let magic: [UInt8] = Array("ABM".utf8)
    static let version: UInt8 = 1

    static func encode(_ declaration: ModelDeclaration) -> [UInt8] {
        var fields = FieldWriter()
        fields.append(ModelField.versionIdentifier, text: declaration.versionIdentifier)
        fields.append(ModelField.entity, records: declaration.entities, write)
        fields.append(
            ModelField.fetchRequestTemplate, records: declaration.fetchRequestTemplates, write)
        fields.append(ModelField.configuration, records: declaration.configurations, write)
        return magic + [version] + fields.bytes
    }

    /// Writes one entity alone, as a record of a model contains it.
    static func encode(_ entity: Entity) -> [UInt8] {
        var fields = FieldWriter()
        write(entity, to: &fields)
        return fields.bytes
    }

    private static func write(_ entity: Entity, to fields: inout FieldWriter) {
        fields.append(EntityField.name, text: entity.name)
        fields.append(EntityField.wireName, text: entity.wireName)
        fields.append(EntityField.parent, text: entity.parent)
        fields.append(EntityField.isAbstract, flag: entity.isAbstract)
        fields.append(EntityField.renamingIdentifier, text: entity.renamingIdentifier)
        fields.append(EntityField.representedClassName, text: entity.representedClassName)
        fields.append(EntityField.attribute, records: entity.attributes, write)
        fields.append(EntityField.relationship, records: entity.relationships, write)
        fields.append(EntityField.index, records: entity.indexes, write)
        fields.append(EntityField.constraint, records: entity.uniquenessConstraints, write)
        fields.append(EntityField.userInfo, entries: entity.userInfo)
        if entity.deletePolicy != .deleteWins {
            fields.append(EntityField.deletePolicy, number: entity.deletePolicy.rawValue)
        }
        fields.append(EntityField.attributeGroup, records: entity.attributeGroups, write)
        fields.append(EntityField.versionHashModifier, text: entity.versionHashModifier)
        fields.append(EntityField.fetchedProperty, records: entity.fetchedProperties, write)
        fields.append(EntityField.compositeAttribute, records: entity.compositeAttributes, write)
    }

    private static func write(_ property: FetchedProperty, to fields: inout FieldWriter) {
        fields.append(FetchedPropertyField.name, text: property.name)
        fields.append(FetchedPropertyField.entity, text: property.entity)
        fields.append(FetchedPropertyField.predicateFormat, text: property.predicateFormat)
        fields.append(FetchedPropertyField.fetchLimit, number: property.fetchLimit)
        fields.append(FetchedPropertyField.userInfo, entries: property.userInfo)
    }

    private static func write(_ composite: CompositeAttribute, to fields: inout FieldWriter) {
        fields.append(CompositeField.name, text: composite.name)
        fields.append(CompositeField.wireName, text: composite.wireName)
        fields.append(CompositeField.typeName, text: composite.typeName)
        fields.append(CompositeField.isOptional, flag: composite.isOptional)
        fields.append(CompositeField.isTransient, flag: composite.isTransient)
        fields.append(CompositeField.attribute, records: composite.attributes, write)
        fields.append(
            CompositeField.compositeAttribute, records: composite.compositeAttributes, write)
        fields.append(CompositeField.renamingIdentifier, text: composite.renamingIdentifier)
        fields.append(CompositeField.userInfo, entries: composite.userInfo)
        fields.append(CompositeField.versionHashModifier, text: composite.versionHashModifier)
    }

    private static func write(_ attribute: Attribute, to fields: inout FieldWriter) {
        fields.append(AttributeField.name, text: attribute.name)
        fields.append(AttributeField.wireName, text: attribute.wireName)
        fields.append(AttributeField.type, number: attribute.type.rawValue)
        fields.append(AttributeField.isOptional, flag: attribute.isOptional)
        fields.append(AttributeField.isTransient, flag: attribute.isTransient)
        fields.append(AttributeField.defaultValue, value: attribute.defaultValue)
        fields.append(AttributeField.minimum, value: attribute.minimum)
        fields.append(AttributeField.maximum, value: attribute.maximum)
        fields.append(AttributeField.regularExpression, text: attribute.regularExpression)
        fields.append(AttributeField.renamingIdentifier, text: attribute.renamingIdentifier)
        if attribute.mergeRule != .lastWriter {
            fields.append(AttributeField.mergeRule, number: Int(attribute.mergeRule.rawValue))
        }
        fields.append(
            AttributeField.allowsExternalBinaryDataStorage,
            flag: attribute.allowsExternalBinaryDataStorage)
        fields.append(
            AttributeField.preservesValueInHistoryOnDeletion,
            flag: attribute.preservesValueInHistoryOnDeletion)
        fields.append(AttributeField.userInfo, entries: attribute.userInfo)
        fields.append(AttributeField.valueTransformerName, text: attribute.valueTransformerName)
        fields.append(AttributeField.validation, records: attribute.validations, write)
        fields.append(AttributeField.derivationExpression, text: attribute.derivationExpression)
        fields.append(AttributeField.versionHashModifier, text: attribute.versionHashModifier)
        fields.append(AttributeField.search, records: attribute.search.map { [$0] } ?? [], write)
    }

    private static func write(_ search: TextSearch, to fields: inout FieldWriter) {
        for length in search.prefixLengths {
            fields.append(SearchField.prefixLength, number: length)
        }
    }

    private static func write(_ relationship: Relationship, to fields: inout FieldWriter) {
        fields.append(RelationshipField.name, text: relationship.name)
        fields.append(RelationshipField.wireName, text: relationship.wireName)
        fields.append(RelationshipField.destination, text: relationship.destination)
        fields.append(RelationshipField.isToMany, flag: relationship.isToMany)
        fields.append(RelationshipField.isOptional, flag: relationship.isOptional)
        fields.append(RelationshipField.isOrdered, flag: relationship.isOrdered)
        fields.append(
            RelationshipField.minCount,
            number: relationship.minCount == 0 ? nil : relationship.minCount)
        fields.append(RelationshipField.maxCount, number: relationship.maxCount)
        fields.append(RelationshipField.deleteRule, number: relationship.deleteRule.rawValue)
        fields.append(RelationshipField.inverse, text: relationship.inverse)
        fields.append(RelationshipField.renamingIdentifier, text: relationship.renamingIdentifier)
        fields.append(RelationshipField.userInfo, entries: relationship.userInfo)
        fields.append(RelationshipField.isAcyclic, flag: relationship.isAcyclic)
        fields.append(RelationshipField.validation, records: relationship.validations, write)
        fields.append(
            RelationshipField.versionHashModifier, text: relationship.versionHashModifier)
        fields.append(RelationshipField.isTransient, flag: relationship.isTransient)
    }

    private static func write(_ rule: ValidationRule, to fields: inout FieldWriter) {
        fields.append(ValidationField.predicateFormat, text: rule.predicateFormat)
        fields.append(ValidationField.warning, text: rule.warning.isEmpty ? nil : rule.warning)
    }

    private static func write(_ index: Index, to fields: inout FieldWriter) {
        fields.append(PartField.name, text: index.name)
        fields.append(PartField.element, records: index.elements) { element, fields in
            fields.append(PartField.name, text: element.property)
            fields.append(PartField.isDescending, flag: !element.isAscending)
        }
    }

    private static func write(_ constraint: Unique, to fields: inout FieldWriter) {
        for attribute in constraint.attributes { fields.append(PartField.name, text: attribute) }
    }

    private static func write(_ group: AttributeGroup, to fields: inout FieldWriter) {
        fields.append(GroupField.name, text: group.name)
        for attribute in group.attributes { fields.append(GroupField.attribute, text: attribute) }
    }

    private static func write(_ configuration: Configuration, to fields: inout FieldWriter) {
        fields.append(ConfigurationField.name, text: configuration.name)
        for entity in configuration.entities {
            fields.append(ConfigurationField.entity, text: entity)
        }
        fields.append(ConfigurationField.isUnsynced, flag: !configuration.isSynced)
    }

    private static func write(_ template: FetchRequestTemplate, to fields: inout FieldWriter) {
        fields.append(PartField.name, text: template.name)
        fields.append(PartField.entity, text: template.entity)
        fields.append(PartField.predicateFormat, text: template.predicateFormat)
        fields.append(PartField.fetchLimit, number: template.fetchLimit)
        fields.append(
            PartField.fetchBatchSize,
            number: template.fetchBatchSize == 0 ? nil : template.fetchBatchSize)
        fields.append(PartField.excludesSubentities, flag: !template.includesSubentities)
        fields.append(PartField.excludesPendingChanges, flag: !template.includesPendingChanges)
        fields.append(PartField.excludesPropertyValues, flag: !template.includesPropertyValues)
        fields.append(PartField.returnsRealisedObjects, flag: !template.returnsObjectsAsFaults)
    }
}
