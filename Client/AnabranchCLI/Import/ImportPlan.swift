import Anabranch

/// The meaning of an input's columns for an entity.
struct ImportPlan {
    enum Target {
        case attribute(AttributeDescription)
        /// A column that fills no attribute itself.
        case ignored
    }

    let entity: EntityDescription
    /// The attribute that identifies the record of a row, if rows may update existing records.
    let key: AttributeDescription?
    let links: [LinkRule]
    /// The separator of several values in one field of a table.
    let separator: Character
    let allowsUnknown: Bool
    let forms: InputForms
    private let mapped: [String: String]
    private let command: String

    /// Reads the import options.
    ///
    /// - Throws: ``UsageError`` for options that do not fit the model.
    init(
        entity: EntityDescription, model: ManagedObjectModel, arguments: ParsedArguments
    ) throws(UsageError) {
        guard !entity.isAbstract else {
            throw arguments.error(
                "\(entity.name) is abstract and has no records of its own. Name a sub-entity.")
        }
        self.entity = entity
        command = arguments.command
        separator = try arguments.separator()
        allowsUnknown = arguments.isSet("skip-unknown")
        forms = try InputForms(of: entity, arguments: arguments)
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
            // A column's name can contain an equals sign, and a property's name can't.
            guard let equals = text.lastIndex(of: "="), equals != text.startIndex else {
                throw arguments.error("--map takes COLUMN=PROPERTY, not '\(text)'.")
            }
            let property = String(text[text.index(after: equals)...])
            _ = try Self.attribute(property, of: entity, arguments)
            mapped[String(text[..<equals])] = property
        }
        self.mapped = mapped
    }

    /// The target of a column.
    ///
    /// A column fills the stored attribute that `--map` gives, or else the one with its exact name.
    /// If there is neither, case, `_`, `-`, `.` and spaces are ignored: `official_name` fills
    /// `officialName`.
    ///
    /// - Returns: `ignored` for a column that begins with `@` or that only `--link` reads, and with
    ///   `--skip-unknown` for an unknown column. Otherwise `nil` for an unknown column.
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

    /// The advice for an unknown column.
    func advice(forColumn name: String) -> String {
        if let relationship = entity.property(named: name)?.relationship {
            return "It is a relationship; say which records the column names: "
                + "--link "
                + ShellWord.quoted("\(name)=\(name):\(relationship.destination.name).ATTRIBUTE")
        }
        if let composite = entity.compositeAttribute(named: name) {
            let element = composite.attributes.first?.name ?? name
            return "It is a composite attribute: in a table each element has a column, such as "
                + "\(element), and in JSON it is an object of its elements."
        }
        if entity.property(named: name)?.attribute != nil {
            return "\(entity.name).\(name) is not a stored attribute. Type --skip-unknown to leave "
                + "such columns out."
        }
        let names = entity.attributes.filter { !$0.isTransient && !$0.isDerived }.map(\.name)
        if let meant = NearestWord.suggestion(for: name, among: names) {
            return "\(entity.name) has no property of that name. Type --map "
                + ShellWord.quoted("\(name)=\(meant)") + " if that is meant, or --skip-unknown."
        }
        return "\(entity.name) has no property of that name. Type --map "
            + ShellWord.quoted("\(name)=PROPERTY")
            + ", or --skip-unknown to leave such columns out."
    }

    private func matching(_ name: String) -> String? {
        let stored = entity.attributes.filter { !$0.isTransient && !$0.isDerived }
        if stored.contains(where: { $0.name == name }) { return name }
        let wanted = Self.letters(name)
        let same = stored.filter { Self.letters($0.name) == wanted }
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
            throw arguments.error("\(entity.name).\(name) is not a stored attribute.")
        }
        return attribute
    }
}
