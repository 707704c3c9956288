import Anabranch

/// Shows the named records.
struct GetCommand: Command {
    static let specification = CommandSpecification(
        name: "get", summary: "Shows records with all their properties.",
        discussion: [
            "If one record does not exist, none is shown and the exit status is 1. A record that "
                + "is merged into another one, because both have one unique key, is shown by that "
                + "one.",
            "Values that the store holds and the record does not show follow, with author and "
                + "time: the other values of a property that keeps both, values of merged "
                + "records, and references that another one hides. --columns leaves them out.",
        ],
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
    /// True if only some columns are shown.
    let isNarrowed: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        path = try arguments.word("STORE")
        entity = try arguments.word("ENTITY")
        records = arguments.allWords("RECORD")
        query = try RecordQuery(arguments)
        isJSON = arguments.isSet("json")
        isNarrowed = arguments.isSet("columns")
    }

    func run(_ console: Console) async throws {
        try StoreFile.withContext(path, for: .reading) { context in
            let entity = try EntityNames.entity(entity, in: context.model, command: query.command)
            var objects: [ManagedObject] = []
            var merged: [ManagedObjectID: [RecordID]] = [:]
            for record in records {
                let selector = RecordSelector(text: record, command: query.command)
                let (object, other) = try selector.shownObject(of: entity, in: context)
                if let other { merged[object.objectID, default: []].append(other) }
                objects.append(object)
            }
            let columns = try query.columns(of: entity, isToManyIncluded: true)
            var output = RecordOutput(columns: columns, isJSON: isJSON)
            output.note = { object in
                RecordNote(
                    merged: merged[object.objectID] ?? [],
                    hidden: isNarrowed ? [] : try context.hiddenWrites(of: object.objectID))
            }
            try output.writeList(objects, to: console)
        }
    }
}
