import AnabranchReplication

extension ModelDecoder {
    static func index(in record: ByteReader) throws(ChangeSetDecodingError) -> Index {
        var reader = record
        var result = Index("", elements: [])
        while let (number, field) = try reader.readField() {
            switch number {
            case PartField.name: result.name = try field.text()
            case PartField.element: result.elements.append(try element(in: field))
            default: throw field.unknownField(number)
            }
        }
        return result
    }

    private static func element(
        in record: ByteReader
    ) throws(ChangeSetDecodingError) -> IndexElement {
        var reader = record
        var result = IndexElement("")
        while let (number, field) = try reader.readField() {
            switch number {
            case PartField.name: result.property = try field.text()
            case PartField.isDescending: result.isAscending = !(try field.flag())
            default: throw field.unknownField(number)
            }
        }
        return result
    }

    static func constraint(in record: ByteReader) throws(ChangeSetDecodingError) -> Unique {
        var reader = record
        var result = Unique(attributes: [])
        while let (number, field) = try reader.readField() {
            switch number {
            case PartField.name: result.attributes.append(try field.text())
            default: throw field.unknownField(number)
            }
        }
        return result
    }

    static func search(in record: ByteReader) throws(ChangeSetDecodingError) -> TextSearch {
        var reader = record
        var lengths: [Int] = []
        while let (number, field) = try reader.readField() {
            switch number {
            case SearchField.prefixLength: lengths.append(try field.number())
            default: throw field.unknownField(number)
            }
        }
        return TextSearch(prefixLengths: lengths)
    }

    static func rule(in record: ByteReader) throws(ChangeSetDecodingError) -> ValidationRule {
        var reader = record
        var result = ValidationRule(predicateFormat: "")
        while let (number, field) = try reader.readField() {
            switch number {
            case ValidationField.predicateFormat: result.predicateFormat = try field.text()
            case ValidationField.warning: result.warning = try field.text()
            default: throw field.unknownField(number)
            }
        }
        return result
    }

    /// - Parameter depth: The number of composite attributes that contain this one.
    static func composite(
        in record: ByteReader, depth: Int = 0
    ) throws(ChangeSetDecodingError) -> CompositeAttribute {
        guard depth < ModelLimits.deepestComposite else {
            throw record.failure(.malformed, "too many composite attributes are inside each other")
        }
        var reader = record
        var result = CompositeAttribute("", optional: false)
        while let (number, field) = try reader.readField() {
            switch number {
            case CompositeField.name: result.name = try field.text()
            case CompositeField.wireName: result.wireName = try field.text()
            case CompositeField.typeName: result.typeName = try field.text()
            case CompositeField.isOptional: result.isOptional = try field.flag()
            case CompositeField.isTransient: result.isTransient = try field.flag()
            case CompositeField.attribute: result.attributes.append(try attribute(in: field))
            case CompositeField.compositeAttribute:
                result.compositeAttributes.append(try composite(in: field, depth: depth + 1))
            case CompositeField.renamingIdentifier:
                result.renamingIdentifier = try field.text()
            case CompositeField.userInfo: try field.addEntry(to: &result.userInfo)
            case CompositeField.versionHashModifier:
                result.versionHashModifier = try field.text()
            default: throw field.unknownField(number)
            }
        }
        return result
    }

    static func group(in record: ByteReader) throws(ChangeSetDecodingError) -> AttributeGroup {
        var reader = record
        var result = AttributeGroup("", attributes: [])
        while let (number, field) = try reader.readField() {
            switch number {
            case GroupField.name: result.name = try field.text()
            case GroupField.attribute: result.attributes.append(try field.text())
            default: throw field.unknownField(number)
            }
        }
        return result
    }

    static func fetchedProperty(
        in record: ByteReader
    ) throws(ChangeSetDecodingError) -> FetchedProperty {
        var reader = record
        var result = FetchedProperty("", of: "")
        while let (number, field) = try reader.readField() {
            switch number {
            case FetchedPropertyField.name: result.name = try field.text()
            case FetchedPropertyField.entity: result.entity = try field.text()
            case FetchedPropertyField.predicateFormat: result.predicateFormat = try field.text()
            case FetchedPropertyField.fetchLimit: result.fetchLimit = try field.number()
            case FetchedPropertyField.userInfo: try field.addEntry(to: &result.userInfo)
            default: throw field.unknownField(number)
            }
        }
        return result
    }

    static func configuration(
        in record: ByteReader
    ) throws(ChangeSetDecodingError) -> Configuration {
        var reader = record
        var result = Configuration("", entities: [])
        while let (number, field) = try reader.readField() {
            switch number {
            case ConfigurationField.name: result.name = try field.text()
            case ConfigurationField.entity: result.entities.append(try field.text())
            case ConfigurationField.isUnsynced: result.isSynced = !(try field.flag())
            default: throw field.unknownField(number)
            }
        }
        return result
    }

    static func template(
        in record: ByteReader
    ) throws(ChangeSetDecodingError) -> FetchRequestTemplate {
        var reader = record
        var result = FetchRequestTemplate("", entity: "")
        while let (number, field) = try reader.readField() {
            switch number {
            case PartField.name: result.name = try field.text()
            case PartField.entity: result.entity = try field.text()
            case PartField.predicateFormat: result.predicateFormat = try field.text()
            case PartField.fetchLimit: result.fetchLimit = try field.number()
            case PartField.fetchBatchSize: result.fetchBatchSize = try field.number()
            case PartField.excludesSubentities: result.includesSubentities = !(try field.flag())
            case PartField.excludesPendingChanges:
                result.includesPendingChanges = !(try field.flag())
            case PartField.excludesPropertyValues:
                result.includesPropertyValues = !(try field.flag())
            case PartField.returnsRealisedObjects:
                result.returnsObjectsAsFaults = !(try field.flag())
            default: throw field.unknownField(number)
            }
        }
        return result
    }
}
