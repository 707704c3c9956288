import Anabranch

/// Deletes records.
struct DeleteCommand: Command {
    static let specification = CommandSpecification(
        name: "delete", summary: "Deletes records and applies the model's delete rules.",
        discussion: ["All deletions are one save: if a delete rule denies one, none is made."],
        arguments: [
            .store, .entity,
            ArgumentSpecification(
                "RECORD", "The record's ID, or attribute=value.", isRequired: false,
                isRepeated: true),
        ],
        options: [
            OptionSpecification("where", "PREDICATE", "Deletes every record that matches."),
            .author, .json,
        ],
        examples: [
            .init("delete geo.store Country alpha2=XX", "Deletes one record."),
            .init("delete geo.store City --where 'area == 0'", "Deletes all matching records."),
        ])

    let path: String
    let entity: String
    let records: [String]
    let query: RecordQuery
    let arguments: ParsedArguments

    init(_ arguments: ParsedArguments) throws(UsageError) {
        path = try arguments.word("STORE")
        entity = try arguments.word("ENTITY")
        records = arguments.allWords("RECORD")
        query = try RecordQuery(arguments)
        guard records.isEmpty != (query.predicate == nil) else {
            throw arguments.error("'delete' needs either RECORD or --where.")
        }
        self.arguments = arguments
    }

    func run(_ console: Console) async throws {
        try StoreFile.withContext(
            path, for: .writing, author: StoreFile.author(arguments), name: "delete \(entity)"
        ) { context in
            let entity = try EntityNames.entity(
                entity, in: context.model, command: arguments.command)
            let objects =
                query.predicate != nil
                ? try context.fetch(try query.request(of: entity))
                : try records.map {
                    try RecordSelector(text: $0, command: arguments.command)
                        .object(of: entity, in: context)
                }
            for object in objects { context.delete(object) }
            try context.save()
            let count = Set(objects.map(\.objectID)).count
            if arguments.isSet("json") {
                return try console.print(JSONText.object { $0.member("deleted", count) })
            }
            try console.print("Deleted \(count) of \(entity.name).")
        }
    }
}
