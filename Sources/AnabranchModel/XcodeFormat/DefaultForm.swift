import AnabranchReplication

/// The form in which a model file holds the default of an attribute.
enum DefaultForm: Equatable {
    /// An attribute of the XML element.
    case attribute(name: String, value: String)
    /// A user info entry, for a value that Xcode's format can't hold.
    case entry(String)

    /// Finds the form of an attribute's default; `nil` without a default.
    init?(_ attribute: AttributeDeclaration) {
        guard let value = attribute.defaultValue else { return nil }
        if case .date(let seconds) = value, attribute.type == .date, seconds.isFinite {
            self = .attribute(
                name: "defaultDateTimeInterval", value: ModelValueText.seconds(seconds))
            return
        }
        if let text = ModelValueText.text(of: value, as: attribute.type),
            Self.reads(text, as: value, of: attribute.type)
        {
            self = .attribute(name: "defaultValueString", value: text)
            return
        }
        guard let text = TaggedValueText.text(of: value) else { return nil }
        self = .entry(text)
    }

    /// Returns true if the reader gets the value from the text of an attribute with that type.
    private static func reads(_ text: String, as value: PropertyValue, of type: AttributeType)
        -> Bool
    {
        if text.isEmpty, type != .string { return false }
        // Xcode's editor knows no infinite numbers.
        if case .double(let number) = value, !number.isFinite { return false }
        return ModelValueReader.value(of: text, as: type) == value
    }
}
