import Anabranch

/// Lists records whose parents somebody deleted who did not know of them.
struct OrphansCommand: Command {
    static let specification = CommandSpecification(
        name: "orphans", summary: "Lists records that a deleted parent has left behind.",
        discussion: [
            "A delete takes along what it knows of. What somebody else put below the record "
                + "meanwhile is kept, without a parent: give it another, or delete it."
        ],
        arguments: [
            .store,
            ArgumentSpecification("ENTITY", "Only records of this entity.", isRequired: false),
        ],
        options: [
            OptionSpecification("limit", "N", "At most so many."),
            OptionSpecification("offset", "N", "Leaves out so many before."),
            .json,
        ],
        examples: [
            .init("orphans geo.store", "All of them."),
            .init("orphans geo.store Street --limit 10", "The first ten streets."),
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
            let orphans = try context.orphans(of: name, limit: limit, offset: offset)
            if isJSON {
                for orphan in orphans { try console.print(try json(orphan)) }
                return
            }
            guard !orphans.isEmpty else { return try console.print("There are no orphans.") }
            var table = TextTable("RECORD", "PARENT", "WAS")
            for orphan in orphans {
                table.append([
                    "\(orphan.entity.name) \(try RecordLabel(orphan.objectID).short)",
                    orphan.relationship.name,
                    "\(orphan.relationship.destination.name) \(RecordText.short(orphan.parent))",
                ])
            }
            try console.print(table)
        }
    }

    private func json(_ orphan: Orphan) throws -> String {
        let label = try RecordLabel(orphan.objectID)
        return JSONText.object { json in
            json.member("id", label.uri)
            json.member("entity", orphan.entity.name)
            json.member("relationship", orphan.relationship.name)
            json.member("parent", RecordText.long(orphan.parent))
        }
    }
}
