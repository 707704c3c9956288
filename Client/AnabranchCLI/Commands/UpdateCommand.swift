import Anabranch

/// Changes records.
struct UpdateCommand: Command {
    static let specification = CommandSpecification(
        name: "update", summary: "Changes a record, or all records that match a predicate.",
        discussion: [
            "NAME=VALUE sets an attribute. country=alpha2=FR or country=ID sets a to-one "
                + "relationship. members+=alpha2=FR adds to a to-many relationship, and "
                + "members-=alpha2=FR removes from it. NAME= sets the empty text; --null NAME "
                + "removes the value. All changes are one save."
        ],
        arguments: [
            .store, .entity,
            ArgumentSpecification(
                "WORD",
                "RECORD (an ID or attribute=value) if --where is not given, then changes such as "
                    + "NAME=VALUE.", isRequired: false, isRepeated: true),
        ],
        options: [
            OptionSpecification("where", "PREDICATE", "Changes every record that matches."),
            Assignment.nullOption, .author, .json,
        ],
        examples: [
            .init("update geo.store Country alpha2=FR name='La France'", "Renames a country."),
            .init(
                "update geo.store City --where 'area > 1000' isLarge=true",
                "Changes all "
                    + "matching records."),
        ])

    let path: String
    let entity: String
    let record: String?
    let assignments: [Assignment]
    let query: RecordQuery
    let arguments: ParsedArguments

    init(_ arguments: ParsedArguments) throws(UsageError) {
        path = try arguments.word("STORE")
        entity = try arguments.word("ENTITY")
        query = try RecordQuery(arguments)
        var words = arguments.allWords("WORD")[...]
        if query.predicate == nil {
            guard let first = words.popFirst() else {
                throw arguments.error("'update' needs RECORD or --where.")
            }
            record = first
        } else {
            record = nil
        }
        assignments = try Assignment.all(words, arguments)
        guard !assignments.isEmpty else {
            throw arguments.error("'update' needs at least one change: NAME=VALUE.")
        }
        self.arguments = arguments
    }

    func run(_ console: Console) async throws {
        try StoreFile.withContext(
            path, for: .writing, author: StoreFile.author(arguments), name: "update \(entity)"
        ) { context in
            let entity = try EntityNames.entity(
                entity, in: context.model, command: arguments.command)
            let objects =
                if let record {
                    [
                        try RecordSelector(text: record, command: arguments.command)
                            .object(of: entity, in: context)
                    ]
                } else {
                    try context.fetch(try query.request(of: entity))
                }
            for object in objects {
                try Assignment.apply(assignments, to: object, in: context)
            }
            try context.save()
            try write(objects.count, entity, console)
        }
    }

    private func write(_ count: Int, _ entity: EntityDescription, _ console: Console) throws {
        if arguments.isSet("json") {
            return try console.print(JSONText.object { $0.member("updated", count) })
        }
        try console.print("Updated \(count) of \(entity.name).")
    }
}
