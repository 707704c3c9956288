import Anabranch

/// Shows the named records.
struct GetCommand: Command {
    static let specification = CommandSpecification(
        name: "get", summary: "Shows records with all their properties.",
        discussion: ["If one record does not exist, none is shown and the exit status is 1."],
        arguments: [
            .store, .entity,
            ArgumentSpecification(
                "RECORD",
                "The record's ID, such as 1f2e3d4c/12 or anabranch://…, or "
                    + "attribute=value.",
                isRepeated: true),
        ],
        options: [
            OptionSpecification(
                "columns", "NAMES",
                "The columns to show, such as "
                    + "name,country.name."), .json,
        ],
        examples: [.init("get geo.store Country alpha2=FR", "Shows one country.")])

    let path: String
    let entity: String
    let records: [String]
    let query: RecordQuery
    let isJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        path = try arguments.word("STORE")
        entity = try arguments.word("ENTITY")
        records = arguments.allWords("RECORD")
        query = try RecordQuery(arguments)
        isJSON = arguments.isSet("json")
    }

    func run(_ console: Console) async throws {
        try StoreFile.withContext(path, for: .reading) { context in
            let entity = try EntityNames.entity(
                entity, in: context.model, command: query.command)
            let objects = try records.map {
                try RecordSelector(text: $0, command: query.command).object(of: entity, in: context)
            }
            let columns = try query.columns(of: entity, isToManyIncluded: true)
            try RecordOutput(columns: columns, isJSON: isJSON).writeList(objects, to: console)
        }
    }
}
