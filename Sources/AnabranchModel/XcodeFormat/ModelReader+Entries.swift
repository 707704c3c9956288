import AnabranchReplication

extension ModelReader {
    /// The key in an attribute's user info that holds a default for which Xcode has no form.
    static let defaultKey = "anabranch.default"

    mutating func validations(
        in userInfo: [String: String], of element: ModelElement, entity: String, property: String
    ) -> [ValidationRule] {
        let (rules, strayKeys) = ValidationEntries.read(userInfo)
        for key in strayKeys {
            refuse(
                .invalidPredicate, element, entity: entity, property: property,
                "Can't validate \(entity).\(property) by the user info entry \(key): write a "
                    + "predicate as anabranch.validation.1, and its warning as "
                    + "anabranch.validation.1.warning.")
        }
        return rules
    }

    mutating func taggedDefault(
        _ text: String, of element: ModelElement, entity: String, property: String
    ) -> Value? {
        if let value = TaggedValueText.value(of: text) { return value }
        refuse(
            .invalidValue, element, entity: entity, property: property,
            "Can't use the \(Self.defaultKey) of attribute \(entity).\(property) because "
                + "\"\(text)\" is no type with a value, such as binary:AAEC.")
        return nil
    }
}
