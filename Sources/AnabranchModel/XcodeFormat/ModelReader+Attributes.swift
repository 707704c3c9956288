import AnabranchReplication

extension ModelReader {
    /// Reads an attribute.
    ///
    /// - Parameter path: The path of the composite attribute that the attribute is an element of,
    ///   and a dot; or nothing.
    mutating func read(
        attribute element: ModelElement, of entity: String, in path: String = ""
    ) -> AttributeDeclaration {
        var attribute = AttributeDeclaration(element.attributes["name"] ?? "", .undefined)
        remember(element, entity: entity, property: path + attribute.name)
        attribute.isOptional = element.flag("optional")
        attribute.isTransient = element.flag("transient")
        attribute.renamingIdentifier = element.text("elementID")
        attribute.versionHashModifier = element.text("versionHashModifier")
        attribute.regularExpression = element.text("regularExpressionString")
        attribute.allowsExternalBinaryDataStorage = element.flag("allowsExternalBinaryDataStorage")
        attribute.preservesValueInHistoryOnDeletion = element.flag("preserveAfterDeletion")
        attribute.userInfo = userInfo(of: element)
        attribute.type = type(of: element, entity: entity)
        if attribute.type == .transformable {
            attribute.valueTransformerName = element.text("valueTransformerName")
            attribute.valueClassName =
                element.text("customClassName") ?? element.text("attributeValueClassName")
        }
        checkKind(of: element, entity: entity, property: attribute.name)
        if element.flag("derived") { return derived(attribute, element, entity: entity) }
        guard attribute.type != .undefined else { return attribute }
        if attribute.userInfo[UserInfoKey.defaultValue] == nil {
            readDefault(of: element, into: &attribute, entity: entity)
        }
        readBounds(of: element, into: &attribute, entity: entity)
        return attribute
    }

    /// Reads a derived attribute and warns about settings for values that the app sets.
    ///
    /// Xcode writes such settings for derived attributes too; they have no effect and are left out.
    private mutating func derived(
        _ attribute: AttributeDeclaration, _ element: ModelElement, entity: String
    ) -> AttributeDeclaration {
        var attribute = attribute
        attribute.derivationExpression = element.text("derivationExpression") ?? ""
        attribute.regularExpression = nil
        attribute.allowsExternalBinaryDataStorage = false
        attribute.preservesValueInHistoryOnDeletion = false
        let names = [
            "defaultValueString", "defaultDateTimeInterval", "minValueString", "maxValueString",
            "minDateTimeInterval", "maxDateTimeInterval", "regularExpressionString",
        ]
        for name in names where element.text(name) != nil {
            ignore(
                entity: entity, property: attribute.name,
                "The \(name) of attribute \(entity).\(attribute.name) has no effect because the "
                    + "attribute is derived.")
        }
        return attribute
    }

    /// Reads the type of an attribute.
    ///
    /// If there is no such type, it records a problem and returns another type. This avoids
    /// further problems that would follow from the first.
    private mutating func type(of element: ModelElement, entity: String) -> AttributeType {
        let name = element.text("attributeType") ?? "Undefined"
        let path = "\(entity).\(element.attributes["name"] ?? "")"
        let known = AttributeType.allCases.first { ($0.xcodeName ?? "Undefined") == name }
        if let known { return known }
        refuse(
            .invalidProperty, element, entity: entity, property: element.text("name"),
            "Can't use attribute \(path) because there is no attribute type \(name).")
        return .binary
    }

    private mutating func checkKind(of element: ModelElement, entity: String, property: String) {
        let path = "\(entity).\(property)"
        if element.flag("allowsCloudEncryption") {
            ignore(
                entity: entity, property: property,
                "Attribute \(path) is not encrypted by itself: its mark for cloud encryption "
                    + "has no effect.")
        }
    }

    private mutating func readDefault(
        of element: ModelElement, into attribute: inout AttributeDeclaration, entity: String
    ) {
        if attribute.type == .date {
            attribute.defaultValue = date(
                "defaultDateTimeInterval", of: element, entity: entity, property: attribute.name)
            return
        }
        guard let text = element.attributes["defaultValueString"] else { return }
        if text.isEmpty, attribute.type != .string { return }
        guard let value = ModelValueReader.value(of: text, as: attribute.type) else {
            if [.uuid, .binary, .transformable].contains(attribute.type) {
                // The editor offers no default for these types; the text remains from an earlier
                // type.
                ignore(
                    entity: entity, property: attribute.name,
                    "The default \"\(text)\" of attribute \(entity).\(attribute.name) has no "
                        + "effect.")
                return
            }
            refuse(
                .invalidValue, element, entity: entity, property: attribute.name,
                "Can't use the default of attribute \(entity).\(attribute.name) because "
                    + "\"\(text)\" is no value of type \(attribute.type).")
            return
        }
        attribute.defaultValue = value
    }

    private mutating func readBounds(
        of element: ModelElement, into attribute: inout AttributeDeclaration, entity: String
    ) {
        attribute.minimum = bound("min", of: element, attribute: attribute, entity: entity)
        attribute.maximum = bound("max", of: element, attribute: attribute, entity: entity)
    }

    private mutating func bound(
        _ prefix: String, of element: ModelElement, attribute: AttributeDeclaration, entity: String
    ) -> PropertyValue? {
        if attribute.type == .date {
            return date(
                prefix + "DateTimeInterval", of: element, entity: entity, property: attribute.name)
        }
        guard let text = element.text(prefix + "ValueString") else { return nil }
        let type = attribute.type == .string ? AttributeType.integer64 : attribute.type
        guard let value = ModelValueReader.value(of: text, as: type) else {
            refuse(
                .invalidBounds, element, entity: entity, property: attribute.name,
                "Can't bound attribute \(entity).\(attribute.name) because \"\(text)\" is no "
                    + (attribute.type == .string ? "length." : "value of type \(type)."))
            return nil
        }
        return value
    }

    /// Reads a date from its interval; the text beside it is for the editor only.
    private mutating func date(
        _ name: String, of element: ModelElement, entity: String, property: String
    ) -> PropertyValue? {
        guard let text = element.text(name) else { return nil }
        guard let seconds = Double(decimalText: text), seconds.isFinite else {
            refuse(
                .invalidValue, element, entity: entity, property: property,
                "Can't use \(name) of attribute \(entity).\(property) because \"\(text)\" is no "
                    + "number of seconds.")
            return nil
        }
        return .date(seconds)
    }
}
