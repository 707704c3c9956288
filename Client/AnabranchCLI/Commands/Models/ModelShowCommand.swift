import Anabranch

/// Shows the entities of a model with their properties, constraints and indexes.
struct ModelShowCommand: Command {
    static let specification = CommandSpecification(
        name: "model show", summary: "Shows the entities of a model or of a store.",
        discussion: [
            "Each entity is shown with the properties that it declares itself; it has those of "
                + "the entities that it inherits from too. With --json, each line is one entity."
        ],
        arguments: [ModelSource.argument],
        options: [ModelSource.version, .json],
        examples: [
            .init("model show Geo.xcdatamodeld", "Shows the current version of a model."),
            .init("model show geo.store", "Shows the model of a store."),
        ])

    let source: ModelSource
    let isJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        source = try ModelSource(arguments)
        isJSON = arguments.isSet("json")
    }

    func run(_ console: Console) async throws {
        let model = try source.read(console)
        if isJSON {
            for entity in model.entities { try console.print(EntityText(entity).json) }
            return
        }
        for entity in model.entities {
            if entity.index > 0 { try console.print() }
            let text = EntityText(entity)
            try console.print(console.bold(TerminalText.printable(text.title)))
            if let table = text.table { try console.print(table) }
            for line in text.lines { try console.print(TerminalText.printable(line)) }
        }
        try printConfigurations(of: model, console)
        try printTemplates(of: model, console)
    }

    private func printConfigurations(of model: ManagedObjectModel, _ console: Console) throws {
        guard !model.configurations.isEmpty else { return }
        try console.print()
        var table = TextTable(["CONFIGURATION", "SYNCED", "ENTITIES"].map { .init($0) })
        for configuration in model.configurations {
            table.append([
                configuration.name, configuration.isSynced ? "yes" : "no",
                configuration.entities.joined(separator: ", "),
            ])
        }
        try console.print(table)
    }

    private func printTemplates(of model: ManagedObjectModel, _ console: Console) throws {
        let templates = model.declaration.fetchRequestTemplates
        guard !templates.isEmpty else { return }
        try console.print()
        var table = TextTable(["TEMPLATE", "ENTITY", "PREDICATE"].map { .init($0) })
        for template in templates {
            table.append([template.name, template.entity, template.predicateFormat ?? ""])
        }
        try console.print(table)
    }
}
