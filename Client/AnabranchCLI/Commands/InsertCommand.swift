import Anabranch

/// Inserts one record.
struct InsertCommand: Command {
    static let specification = CommandSpecification(
        name: "insert", summary: "Inserts a record.",
        discussion: [
            "NAME=VALUE sets an attribute. country=alpha2=FR or country=ID sets a to-one "
                + "relationship. members+=alpha2=FR adds to a to-many relationship. NAME= sets the "
                + "empty text; --null NAME leaves the property without a value, also if the model "
                + "has a default for it."
        ],
        arguments: [
            .store, .entity,
            ArgumentSpecification(
                "NAME=VALUE", "The values of the record.", isRequired: false, isRepeated: true),
        ],
        options: [Assignment.nullOption, .author, .json],
        examples: [
            .init("insert geo.store Country alpha2=FR name=France", "Inserts a country.")
        ])

    let path: String
    let entity: String
    let assignments: [Assignment]
    let arguments: ParsedArguments

    init(_ arguments: ParsedArguments) throws(UsageError) {
        path = try arguments.word("STORE")
        entity = try arguments.word("ENTITY")
        assignments = try Assignment.all(arguments.allWords("NAME=VALUE"), arguments)
        self.arguments = arguments
    }

    func run(_ console: Console) async throws {
        try StoreFile.withContext(
            path, for: .writing, author: StoreFile.author(arguments), name: "insert \(entity)"
        ) { context in
            let entity = try EntityNames.entity(
                entity, in: context.model, command: arguments.command)
            let object = try context.insert(entity)
            try Assignment.apply(assignments, to: object, in: context)
            try context.save()
            let columns = try RecordColumn.standard(
                of: entity, isToManyIncluded: true, command: arguments.command)
            try RecordOutput(columns: columns, isJSON: arguments.isSet("json"))
                .writeList([object], to: console)
        }
    }
}
