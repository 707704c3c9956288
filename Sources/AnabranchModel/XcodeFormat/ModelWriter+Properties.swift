import AnabranchReplication

extension ModelWriter {
    mutating func node(_ attribute: AttributeDeclaration, of entity: EntityDeclaration) -> XMLNode {
        let place = "attribute \(entity.name).\(attribute.name)"
        var writer = self
        func text(_ text: String?, _ setting: String) -> String? {
            writer.text(
                text, setting, of: place, entity: entity.name, property: attribute.name)
        }
        var node = XMLNode("attribute")
        node.set("name", text(attribute.name, "name"))
        node.set("optional", flag: attribute.isOptional)
        node.set("transient", flag: attribute.isTransient)
        node.set("attributeType", attribute.type.xcodeName)
        writer.setBounds(of: attribute, on: &node, entity: entity.name, place: place)
        node.set(
            "regularExpressionString", text(attribute.regularExpression, "regular expression"))
        if attribute.type == .transformable {
            node.set(
                "valueTransformerName", text(attribute.valueTransformerName, "transformer"))
            node.set("customClassName", text(attribute.valueClassName, "class name"))
        }
        node.set(
            "allowsExternalBinaryDataStorage", flag: attribute.allowsExternalBinaryDataStorage)
        node.set("derived", flag: attribute.isDerived)
        node.set("derivationExpression", text(attribute.derivationExpression, "expression"))
        if let form = DefaultForm(attribute), case .attribute(let name, let value) = form {
            node.set(
                name,
                writer.text(
                    value, "default", of: place, entity: entity.name, property: attribute.name,
                    mayBeEmpty: true))
        }
        node.set("usesScalarValueType", attribute.type.usesScalarValueType)
        node.set(
            "versionHashModifier", text(attribute.versionHashModifier, "version hash modifier"))
        node.set("preserveAfterDeletion", flag: attribute.preservesValueInHistoryOnDeletion)
        node.set("elementID", text(attribute.renamingIdentifier, "renaming identifier"))
        self = writer
        node.children = userInfo(
            entries(of: attribute, in: entity), of: place, entity: entity.name,
            property: attribute.name)
        return node
    }

    /// Writes the bounds; those of a date as seconds.
    private mutating func setBounds(
        of attribute: AttributeDeclaration, on node: inout XMLNode, entity: String, place: String
    ) {
        let isDate = attribute.type == .date
        for (prefix, bound) in [("min", attribute.minimum), ("max", attribute.maximum)] {
            guard let bound, let text = ModelValueText.text(of: bound, as: attribute.type) else {
                continue
            }
            if !bound.isFinite {
                refuse(
                    entity, attribute.name,
                    "Can't write the bound \(text) of \(place) because the bounds in a model file "
                        + "are finite; leave the bound out.")
            }
            node.set(prefix + (isDate ? "DateTimeInterval" : "ValueString"), text)
        }
    }

    mutating func node(_ relationship: RelationshipDeclaration, of entity: EntityDeclaration)
        -> XMLNode
    {
        let place = "relationship \(entity.name).\(relationship.name)"
        var writer = self
        func text(_ text: String?, _ setting: String) -> String? {
            writer.text(
                text, setting, of: place, entity: entity.name, property: relationship.name)
        }
        var node = XMLNode("relationship")
        node.set("name", text(relationship.name, "name"))
        node.set("optional", flag: relationship.isOptional)
        node.set("transient", flag: relationship.isTransient)
        node.set("toMany", flag: relationship.isToMany)
        node.set(
            "minCount", relationship.minCount == 0 ? nil : String(relationship.minCount))
        node.set("maxCount", relationship.maxCount.map(String.init))
        node.set("deletionRule", relationship.deleteRule.xcodeName)
        node.set("ordered", flag: relationship.isOrdered)
        node.set("destinationEntity", relationship.destination)
        if let inverse = relationship.inverse {
            node.set("inverseName", inverse)
            node.set("inverseEntity", relationship.destination)
        }
        node.set(
            "versionHashModifier",
            text(relationship.versionHashModifier, "version hash modifier"))
        node.set("elementID", text(relationship.renamingIdentifier, "renaming identifier"))
        self = writer
        node.children = userInfo(
            entries(of: relationship), of: place, entity: entity.name,
            property: relationship.name)
        return node
    }
}

extension PropertyValue {
    fileprivate var isFinite: Bool {
        switch self {
        case .double(let number), .date(let number): number.isFinite
        default: true
        }
    }
}

extension AttributeType {
    /// The name of the type in a model file; `nil` if a file leaves it out.
    var xcodeName: String? {
        switch self {
        case .undefined: nil
        case .integer16: "Integer 16"
        case .integer32: "Integer 32"
        case .integer64: "Integer 64"
        case .decimal: "Decimal"
        case .double: "Double"
        case .float: "Float"
        case .string: "String"
        case .boolean: "Boolean"
        case .date: "Date"
        case .binary: "Binary"
        case .uuid: "UUID"
        case .uri: "URI"
        case .transformable: "Transformable"
        }
    }

    /// The setting for Xcode's generated classes: YES for numbers, NO for the other types that have
    /// a scalar form.
    fileprivate var usesScalarValueType: String? {
        switch self {
        case .integer16, .integer32, .integer64, .double, .float, .boolean: "YES"
        case .date, .uuid: "NO"
        case .undefined, .decimal, .string, .binary, .uri, .transformable: nil
        }
    }
}

extension DeleteRule {
    fileprivate var xcodeName: String {
        switch self {
        case .noAction: "No Action"
        case .nullify: "Nullify"
        case .cascade: "Cascade"
        case .deny: "Deny"
        }
    }
}
