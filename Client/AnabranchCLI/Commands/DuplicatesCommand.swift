import Anabranch

/// Lists objects that show several records, which were given one unique key apart.
struct DuplicatesCommand: Command {
    static let specification = CommandSpecification(
        name: "duplicates", summary: "Lists records that show as one, because they hold one key.",
        discussion: [
            "Two who did not know of each other made records under one unique key. They show as "
                + "one object, with the merge of both: deleting it deletes all of them, and a new "
                + "key is theirs together."
        ],
        arguments: [
            .store,
            ArgumentSpecification("ENTITY", "Only objects of this entity.", isRequired: false),
        ],
        options: [
            OptionSpecification("limit", "N", "At most so many objects."),
            OptionSpecification("offset", "N", "Leaves out so many before."),
            .json,
        ],
        examples: [
            .init("duplicates people.store", "All of them."),
            .init("duplicates people.store Person --limit 10", "The first ten people."),
        ])

    let path: String
    let entity: String?
    let limit: Int
    let offset: Int
    let command: String
    let isJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        path = try arguments.word("STORE")
        entity = arguments.optionalWord("ENTITY")
        limit = try arguments.number("limit", in: 1 ... .max) ?? 0
        offset = try arguments.number("offset", in: 0 ... .max) ?? 0
        command = arguments.command
        isJSON = arguments.isSet("json")
    }

    func run(_ console: Console) async throws {
        try StoreFile.withContext(path, for: .reading) { context in
            let name = try entity.map {
                try EntityNames.entity($0, in: context.model, command: command).name
            }
            let duplicates = try context.duplicates(of: name, limit: limit, offset: offset)
            if isJSON {
                for duplicate in duplicates { try console.print(try json(duplicate)) }
                return
            }
            guard !duplicates.isEmpty else { return try console.print("There are no duplicates.") }
            var table = TextTable("RECORD", "SHOWS ALSO")
            for duplicate in duplicates {
                let id = duplicate.objectID
                table.append([
                    "\(id.entity.name) \(try RecordLabel(id).short)",
                    duplicate.others.map(RecordText.short).joined(separator: ", "),
                ])
            }
            try console.print(table)
        }
    }

    private func json(_ duplicate: Duplicate) throws -> String {
        let label = try RecordLabel(duplicate.objectID)
        return JSONText.object { json in
            json.member("id", label.uri)
            json.member("entity", duplicate.objectID.entity.name)
            json.key("others")
            json.array { json in
                for record in duplicate.others { json.string(RecordText.long(record)) }
            }
        }
    }
}
