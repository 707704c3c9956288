import Anabranch

/// The settings of a property in the words of a table.
enum PropertyText {
    /// The type and the settings of an attribute.
    static func row(_ attribute: AttributeDescription) -> [String] {
        let declared = attribute.declaration
        var settings: [String] = []
        if attribute.isOptional { settings.append("optional") }
        if attribute.isTransient { settings.append("transient") }
        if let value = declared.defaultValue { settings.append("default \(quoted(value))") }
        settings += bounds(declared)
        if let expression = declared.regularExpression { settings.append("matches \(expression)") }
        settings += declared.validations.map { "valid if \($0.predicateFormat)" }
        if let expression = declared.derivationExpression {
            settings.append("derived from \(expression)")
        }
        if let search = declared.search { settings.append(self.search(search)) }
        if let name = declared.valueTransformerName { settings.append("transformer \(name)") }
        if attribute.isDerived || attribute.isTransient {
            return [attribute.name, "\(attribute.type)", settings.joined(separator: ", ")]
        }
        if let group = attribute.group {
            settings.append("merges in group \(group.name)")
        } else if declared.mergeRule != .lastWriter {
            settings.append("merges by \(declared.mergeRule)")
        }
        settings += names(
            of: attribute.name, wireName: declared.wireName, former: declared.renamingIdentifier)
        return [attribute.name, "\(attribute.type)", settings.joined(separator: ", ")]
    }

    /// The index of the words of an attribute.
    static func search(_ search: TextSearch) -> String {
        guard !search.prefixLengths.isEmpty else { return "searchable" }
        return "searchable with word beginnings of "
            + search.prefixLengths.map(String.init).joined(separator: ", ") + " characters"
    }

    /// The destination and the settings of a relationship.
    static func row(_ relationship: RelationshipDescription) -> [String] {
        let declared = relationship.declaration
        var settings: [String] = []
        if relationship.isOptional { settings.append("optional") }
        if relationship.isTransient { settings.append("transient") }
        if relationship.isOrdered { settings.append("ordered") }
        if relationship.isAcyclic { settings.append("acyclic") }
        if let counts = counts(relationship) { settings.append(counts) }
        settings.append(relationship.inverse.map { "inverse \($0)" } ?? "no inverse")
        settings.append("on delete \(relationship.deleteRule)")
        settings += declared.validations.map { "valid if \($0.predicateFormat)" }
        settings += names(
            of: relationship.name, wireName: declared.wireName,
            former: declared.renamingIdentifier)
        let kind = relationship.isToMany ? "to many" : "to one"
        return [
            relationship.name, "\(kind) \(relationship.destination.name)",
            settings.joined(separator: ", "),
        ]
    }

    /// The entity and the request of a fetched property.
    static func row(_ property: FetchedPropertyDescription) -> [String] {
        var settings: [String] = []
        if let format = property.declaration.predicateFormat { settings.append("where \(format)") }
        if let limit = property.fetchLimit { settings.append("at most \(limit)") }
        return [
            property.name, "fetched \(property.destination.name)",
            settings.joined(separator: ", "),
        ]
    }

    /// The number of objects of a to-many; `nil` if any number is allowed, and for a to-one.
    static func counts(_ relationship: RelationshipDescription) -> String? {
        guard relationship.isToMany else {
            return relationship.minCount > 0 ? "at least 1" : nil
        }
        switch (relationship.minCount, relationship.maxCount) {
        case (0, nil): return nil
        case (let least, nil): return "at least \(least)"
        case (0, let most?): return "at most \(most)"
        case (let least, let most?): return "\(least) to \(most)"
        }
    }

    /// A value as a table shows it; texts in quotes.
    static func quoted(_ value: PropertyValue) -> String {
        switch value {
        case .string(let text): JSONText.quoted(text)
        default: ValueText.text(value)
        }
    }

    private static func bounds(_ attribute: AttributeDeclaration) -> [String] {
        let length = attribute.type == .string ? "length " : ""
        switch (attribute.minimum, attribute.maximum) {
        case (nil, nil): return []
        case (let least?, nil): return ["\(length)at least \(ValueText.text(least))"]
        case (nil, let most?): return ["\(length)at most \(ValueText.text(most))"]
        case (let least?, let most?):
            return ["\(length)\(ValueText.text(least)) to \(ValueText.text(most))"]
        }
    }

    private static func names(of name: String, wireName: String?, former: String?) -> [String] {
        var names: [String] = []
        if let former, former != name { names.append("formerly \(former)") }
        if let wireName, wireName != former ?? name { names.append("wire name \(wireName)") }
        return names
    }
}
