extension ModelReader {
    /// The XML attributes of each element that are YES or NO.
    private static let flags: [String: [String]] = [
        "entity": ["isAbstract"],
        "attribute": [
            "optional", "transient", "indexed", "derived", "allowsExternalBinaryDataStorage",
            "preserveAfterDeletion", "allowsCloudEncryption",
        ],
        "relationship": ["optional", "transient", "toMany", "ordered"],
    ]

    /// Reports flags that are neither YES nor NO.
    ///
    /// Such a text would read as NO, and a typing error would silently change the schema.
    mutating func checkFlags(of entities: [ModelElement]) {
        for entity in entities {
            let name = entity.text("name") ?? ""
            checkFlags(of: entity, "entity \(name)", entity: name, property: nil)
            for property in entity.children {
                let own = property.text("name") ?? ""
                checkFlags(
                    of: property, "\(property.name) \(name).\(own)", entity: name, property: own)
            }
        }
    }

    private mutating func checkFlags(
        of element: ModelElement, _ path: String, entity: String, property: String?
    ) {
        for flag in Self.flags[element.name] ?? [] {
            guard let text = element.text(flag), FlagText.flag(of: text) == nil else { continue }
            refuse(
                .invalidValue, element, entity: entity, property: property,
                "Can't use \(path) because its \(flag) is \"\(text)\", which is neither YES nor NO."
            )
        }
    }
}
