extension ModelReader {
    /// Settings of a template that are not kept, with the value that has no effect.
    private static let usualSettings = ["resultType": "0", "returnDistinctResults": "NO"]

    mutating func read(template element: ModelElement) -> FetchRequestTemplate {
        var template = FetchRequestTemplate(
            element.attributes["name"] ?? "", entity: element.attributes["entity"] ?? "",
            predicateFormat: element.text("predicateString"))
        remember(element, entity: nil, property: template.name)
        if let limit = element.text("fetchLimit").flatMap({ Int($0) }), limit > 0 {
            template.fetchLimit = limit
        }
        readSettings(of: element, into: &template)
        for (name, usual) in Self.usualSettings.sorted(by: { $0.key < $1.key }) {
            guard let value = element.text(name), value != usual else { continue }
            ignore(
                entity: template.entity,
                "The fetch request template \(template.name) loses its \(name): \(value).")
        }
        return template
    }

    /// Reads the settings of a template; the editor writes most names without their "s".
    private mutating func readSettings(
        of element: ModelElement, into template: inout FetchRequestTemplate
    ) {
        if let size = element.text("fetchBatchSize").flatMap({ Int($0) }), size > 0 {
            template.fetchBatchSize = size
        }
        let settings: [(String, WritableKeyPath<FetchRequestTemplate, Bool>)] = [
            ("includeSubentities", \.includesSubentities),
            ("includesSubentities", \.includesSubentities),
            ("includesPendingChanges", \.includesPendingChanges),
            ("includePropertyValues", \.includesPropertyValues),
            ("includesPropertyValues", \.includesPropertyValues),
            ("returnObjectsAsFaults", \.returnsObjectsAsFaults),
            ("returnsObjectsAsFaults", \.returnsObjectsAsFaults),
        ]
        for (name, setting) in settings {
            guard let text = element.text(name) else { continue }
            if let flag = FlagText.flag(of: text) {
                template[keyPath: setting] = flag
            } else {
                refuse(
                    .invalidValue, element, entity: nil, property: template.name,
                    "Can't use the fetch request template \(template.name) because its \(name) "
                        + "is \"\(text)\", which is neither YES nor NO.")
            }
        }
    }

    mutating func read(configuration element: ModelElement) -> ModelConfiguration {
        ModelConfiguration(
            element.attributes["name"] ?? "",
            entities: element.children(named: "memberEntity").map { $0.attributes["name"] ?? "" })
    }
}
