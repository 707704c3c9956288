import AnabranchReplication

/// Reads the canonical encoding of a model from bytes that may be hostile.
///
/// Only the canonical form is accepted: the decoder encodes the result again and compares the
/// bytes. Equal models therefore always have equal bytes.
enum ModelDecoder {
    static func decode(_ bytes: [UInt8]) throws(ModelError) -> ModelDeclaration {
        do {
            return try declaration(in: bytes)
        } catch {
            let code: ModelError.Code =
                error.code == .unsupportedVersion ? .unsupportedVersion : .malformedEncoding
            throw ModelError(
                code, offset: error.offset,
                "Can't decode the model because \(error.cause) at offset \(error.offset).")
        }
    }

    private static func declaration(
        in bytes: [UInt8]
    ) throws(ChangeSetDecodingError) -> ModelDeclaration {
        var reader = ByteReader(bytes)
        for expected in ModelEncoder.magic where try reader.readByte() != expected {
            throw reader.failure(.malformed, "it does not begin as a model")
        }
        guard try reader.readByte() == ModelEncoder.version else {
            throw reader.failure(.unsupportedVersion, "its format is of a later version")
        }
        var result = ModelDeclaration(entities: [])
        while let (number, field) = try reader.readField() {
            switch number {
            case ModelField.versionIdentifier: result.versionIdentifier = try field.text()
            case ModelField.entity: result.entities.append(try entity(in: field))
            case ModelField.fetchRequestTemplate:
                result.fetchRequestTemplates.append(try template(in: field))
            case ModelField.configuration:
                result.configurations.append(try configuration(in: field))
            default: throw field.unknownField(number)
            }
        }
        try compare(ModelEncoder.encode(DeclarationNormalizer.normalize(result)), with: bytes)
        return result
    }

    private static func compare(
        _ canonical: [UInt8], with bytes: [UInt8]
    ) throws(ChangeSetDecodingError) {
        guard canonical != bytes else { return }
        let offset = zip(canonical, bytes).prefix { $0 == $1 }.count
        throw ChangeSetDecodingError(
            code: .malformed, offset: offset, cause: "it is not in canonical form")
    }

    private static func entity(in record: ByteReader) throws(ChangeSetDecodingError) -> Entity {
        var reader = record
        var result = Entity("")
        while let (number, field) = try reader.readField() {
            switch number {
            case EntityField.name: result.name = try field.text()
            case EntityField.wireName: result.wireName = try field.text()
            case EntityField.parent: result.parent = try field.text()
            case EntityField.isAbstract: result.isAbstract = try field.flag()
            case EntityField.renamingIdentifier: result.renamingIdentifier = try field.text()
            case EntityField.representedClassName: result.representedClassName = try field.text()
            case EntityField.attribute: result.attributes.append(try attribute(in: field))
            case EntityField.relationship:
                result.relationships.append(try relationship(in: field))
            case EntityField.index: result.indexes.append(try index(in: field))
            case EntityField.constraint:
                result.uniquenessConstraints.append(try constraint(in: field))
            case EntityField.userInfo: try field.addEntry(to: &result.userInfo)
            case EntityField.deletePolicy: result.deletePolicy = try field.choice(DeletePolicy.self)
            case EntityField.attributeGroup: result.attributeGroups.append(try group(in: field))
            case EntityField.versionHashModifier: result.versionHashModifier = try field.text()
            case EntityField.fetchedProperty:
                result.fetchedProperties.append(try fetchedProperty(in: field))
            case EntityField.compositeAttribute:
                result.compositeAttributes.append(try composite(in: field))
            default: throw field.unknownField(number)
            }
        }
        return result
    }

    static func attribute(
        in record: ByteReader
    ) throws(ChangeSetDecodingError) -> Attribute {
        var reader = record
        var result = Attribute("", .undefined, optional: false)
        while let (number, field) = try reader.readField() {
            switch number {
            case AttributeField.name: result.name = try field.text()
            case AttributeField.wireName: result.wireName = try field.text()
            case AttributeField.type: result.type = try field.choice(AttributeType.self)
            case AttributeField.isOptional: result.isOptional = try field.flag()
            case AttributeField.isTransient: result.isTransient = try field.flag()
            case AttributeField.defaultValue: result.defaultValue = try field.value()
            case AttributeField.minimum: result.minimum = try field.value()
            case AttributeField.maximum: result.maximum = try field.value()
            case AttributeField.regularExpression: result.regularExpression = try field.text()
            case AttributeField.renamingIdentifier: result.renamingIdentifier = try field.text()
            case AttributeField.mergeRule:
                result.mergeRule = MergeRule(
                    rawValue: UInt8(truncatingIfNeeded: try field.number()))
            case AttributeField.allowsExternalBinaryDataStorage:
                result.allowsExternalBinaryDataStorage = try field.flag()
            case AttributeField.preservesValueInHistoryOnDeletion:
                result.preservesValueInHistoryOnDeletion = try field.flag()
            case AttributeField.userInfo: try field.addEntry(to: &result.userInfo)
            case AttributeField.valueTransformerName:
                result.valueTransformerName = try field.text()
            case AttributeField.validation: result.validations.append(try rule(in: field))
            case AttributeField.derivationExpression:
                result.derivationExpression = try field.text()
            case AttributeField.versionHashModifier: result.versionHashModifier = try field.text()
            case AttributeField.search: result.search = try search(in: field)
            default: throw field.unknownField(number)
            }
        }
        return result
    }

    private static func relationship(
        in record: ByteReader
    ) throws(ChangeSetDecodingError) -> Relationship {
        var reader = record
        var result = Relationship("", to: "", optional: false)
        result.maxCount = nil
        while let (number, field) = try reader.readField() {
            switch number {
            case RelationshipField.name: result.name = try field.text()
            case RelationshipField.wireName: result.wireName = try field.text()
            case RelationshipField.destination: result.destination = try field.text()
            case RelationshipField.isToMany: result.isToMany = try field.flag()
            case RelationshipField.isOptional: result.isOptional = try field.flag()
            case RelationshipField.isOrdered: result.isOrdered = try field.flag()
            case RelationshipField.minCount: result.minCount = try field.number()
            case RelationshipField.maxCount: result.maxCount = try field.number()
            case RelationshipField.deleteRule: result.deleteRule = try field.choice(DeleteRule.self)
            case RelationshipField.inverse: result.inverse = try field.text()
            case RelationshipField.renamingIdentifier:
                result.renamingIdentifier = try field.text()
            case RelationshipField.userInfo: try field.addEntry(to: &result.userInfo)
            case RelationshipField.isAcyclic: result.isAcyclic = try field.flag()
            case RelationshipField.validation: result.validations.append(try rule(in: field))
            case RelationshipField.versionHashModifier:
                result.versionHashModifier = try field.text()
            case RelationshipField.isTransient: result.isTransient = try field.flag()
            default: throw field.unknownField(number)
            }
        }
        return result
    }
}
