import AnabranchReplication

extension ModelWriter {
    mutating func node(_ attribute: AttributeDeclaration, of entity: EntityDeclaration) -> XMLNode {
        let place = Place("attribute", attribute.name, of: entity)
        var node = XMLNode("attribute")
        node.set("name", text(attribute.name, "name", of: place))
        node.set("optional", flag: attribute.isOptional)
        node.set("transient", flag: attribute.isTransient)
        node.set("attributeType", attribute.type.xcodeName)
        setBounds(of: attribute, on: &node, place)
        node.set(
            "regularExpressionString",
            text(attribute.regularExpression, "regular expression", of: place))
        if attribute.type == .transformable {
            node.set(
                "valueTransformerName",
                text(attribute.valueTransformerName, "transformer", of: place))
            node.set("customClassName", text(attribute.valueClassName, "class name", of: place))
        }
        node.set("allowsExternalBinaryDataStorage", flag: attribute.allowsExternalBinaryDataStorage)
        node.set("derived", flag: attribute.isDerived)
        node.set(
            "derivationExpression", text(attribute.derivationExpression, "expression", of: place))
        if let form = DefaultForm(attribute), case .attribute(let name, let value) = form {
            node.set(name, text(value, "default", of: place, mayBeEmpty: true))
        }
        node.set("usesScalarValueType", attribute.type.usesScalarValueType)
        node.set(
            "versionHashModifier",
            text(attribute.versionHashModifier, "version hash modifier", of: place))
        node.set("preserveAfterDeletion", flag: attribute.preservesValueInHistoryOnDeletion)
        node.set("elementID", text(attribute.renamingIdentifier, "renaming identifier", of: place))
        node.children = userInfo(entries(of: attribute, in: entity), of: place)
        return node
    }

    /// Writes the bounds; those of a date as seconds.
    private mutating func setBounds(
        of attribute: AttributeDeclaration, on node: inout XMLNode, _ place: Place
    ) {
        let isDate = attribute.type == .date
        for (prefix, bound) in [("min", attribute.minimum), ("max", attribute.maximum)] {
            guard let bound, let text = ModelValueText.text(of: bound, as: attribute.type) else {
                continue
            }
            if !bound.isFinite {
                refuse(
                    place,
                    "Can't write the bound \(text) of \(place.name) because the bounds in a model "
                        + "file are finite; leave the bound out.")
            }
            node.set(prefix + (isDate ? "DateTimeInterval" : "ValueString"), text)
        }
    }

    mutating func node(_ relationship: RelationshipDeclaration, of entity: EntityDeclaration)
        -> XMLNode
    {
        let place = Place("relationship", relationship.name, of: entity)
        var node = XMLNode("relationship")
        node.set("name", text(relationship.name, "name", of: place))
        node.set("optional", flag: relationship.isOptional)
        node.set("transient", flag: relationship.isTransient)
        node.set("toMany", flag: relationship.isToMany)
        node.set("minCount", relationship.minCount == 0 ? nil : String(relationship.minCount))
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
            text(relationship.versionHashModifier, "version hash modifier", of: place))
        node.set(
            "elementID", text(relationship.renamingIdentifier, "renaming identifier", of: place))
        node.children = userInfo(entries(of: relationship), of: place)
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
