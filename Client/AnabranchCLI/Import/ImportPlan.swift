import Anabranch

/// What the columns of an input mean for an entity.
struct ImportPlan {
    enum Target {
        case attribute(AttributeDescription)
        /// Something that is not to be taken over by itself.
        case ignored
    }

    let entity: EntityDescription
    /// Which record a row is about, where rows may be about records that are there already.
    let key: AttributeDescription?
    let links: [LinkRule]
    /// Separates several values in one field of a table.
    let separator: Character
    let allowsUnknown: Bool
    private let mapped: [String: String]
    private let command: String

    /// - Throws: ``UsageError`` for options that the model doesn't allow.
    init(
        entity: EntityDescription, model: ManagedObjectModel, arguments: ParsedArguments
    ) throws(UsageError) {
        guard !entity.isAbstract else {
            throw arguments.error(
                "\(entity.name) is abstract, so no record can be one. Name an entity below it.")
        }
        self.entity = entity
        command = arguments.command
        separator = try arguments.separator()
        allowsUnknown = arguments.isSet("skip-unknown")
        var key: AttributeDescription?
        if let name = arguments.text("key") {
            key = try Self.attribute(name, of: entity, arguments)
        }
        self.key = key
        var links: [LinkRule] = []
        for text in arguments.texts("link") {
            links.append(try LinkRule(text, entity: entity, model: model, arguments: arguments))
        }
        self.links = links
        var mapped: [String: String] = [:]
        for text in arguments.texts("map") {
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else {
                throw arguments.error("--map takes COLUMN=PROPERTY, not '\(text)'.")
            }
            _ = try Self.attribute(parts[1], of: entity, arguments)
            mapped[parts[0]] = parts[1]
        }
        self.mapped = mapped
    }

    /// What a column is for. A column finds its attribute by its exact name, or by the same
    /// letters and digits: `official_name` fills `officialName`.
    ///
    /// - Returns: `nil` for a name that means nothing here.
    func target(ofColumn name: String) -> Target? {
        if name.hasPrefix("@") { return .ignored }
        if let property = mapped[name] ?? matching(name),
            let attribute = entity.property(named: property)?.attribute
        {
            return .attribute(attribute)
        }
        let isLinked = links.contains { $0.template.columns.contains(name) }
        return isLinked || allowsUnknown ? .ignored : nil
    }

    /// What to type for a column that means nothing.
    func advice(forColumn name: String) -> String {
        if let relationship = entity.property(named: name)?.relationship {
            return "It is a relationship; say which records the column names: "
                + "--link \(name)=\(name):\(relationship.destination.name).ATTRIBUTE"
        }
        let names = entity.attributes.filter { !$0.isTransient && !$0.isDerived }.map(\.name)
        if let meant = NearestWord.suggestion(for: name, among: names) {
            return "\(entity.name) has no property of that name. Type --map \(name)=\(meant) if "
                + "that is meant, or --skip-unknown."
        }
        return "\(entity.name) has no property of that name. Type --map \(name)=PROPERTY, or "
            + "--skip-unknown to leave such columns out."
    }

    private func matching(_ name: String) -> String? {
        if entity.property(named: name)?.attribute != nil { return name }
        let wanted = Self.letters(name)
        let same = entity.attributes.filter {
            !$0.isTransient && !$0.isDerived && Self.letters($0.name) == wanted
        }
        return same.count == 1 ? same.first?.name : nil
    }

    private static func letters(_ name: String) -> String {
        name.lowercased().filter { !"_- .".contains($0) }
    }

    static func attribute(
        _ name: String, of entity: EntityDescription, _ arguments: ParsedArguments
    ) throws(UsageError) -> AttributeDescription {
        guard let property = entity.property(named: name) else {
            throw EntityNames.unknown(name, of: entity, command: arguments.command)
        }
        guard let attribute = property.attribute, !attribute.isTransient, !attribute.isDerived
        else {
            throw arguments.error("\(entity.name).\(name) is no attribute that is stored.")
        }
        return attribute
    }
}
