import Anabranch

/// The arguments and the output of a command that lists items of one kind.
struct RecordListing {
    /// The texts and formats of a listing.
    struct Form<Item> {
        var titles: [String]
        /// The text for an empty listing.
        var nothing: String
        /// The rows of an item, with cells in the order of the titles.
        var rows: (Item) throws -> [[String]]
        /// The JSON object of an item.
        var json: (Item) throws -> String
    }

    private let path: String
    private let entity: String?
    private let limit: Int
    private let offset: Int
    private let command: String
    private let isJSON: Bool

    /// The arguments of a listing command.
    ///
    /// - Parameter items: The name of the items, in the plural.
    static func arguments(_ items: String) -> [ArgumentSpecification] {
        [
            .store,
            ArgumentSpecification("ENTITY", "Only \(items) of this entity.", isRequired: false),
        ]
    }

    /// The options of a listing command.
    ///
    /// - Parameter items: The name of the items, in the plural.
    static func options(_ items: String) -> [OptionSpecification] {
        [
            OptionSpecification("limit", "N", "The greatest number of \(items)."),
            OptionSpecification("offset", "N", "Skips the first N."),
            .json,
        ]
    }

    init(_ arguments: ParsedArguments) throws(UsageError) {
        path = try arguments.word("STORE")
        entity = arguments.optionalWord("ENTITY")
        limit = try arguments.number("limit", in: 1 ... .max) ?? 0
        offset = try arguments.number("offset", in: 0 ... .max) ?? 0
        command = arguments.command
        isJSON = arguments.isSet("json")
    }

    /// Prints the items.
    ///
    /// - Parameter items: Returns the items of an entity, or of all entities, with a limit and an
    ///   offset.
    func run<Item>(
        _ console: Console, _ form: Form<Item>,
        _ items: (ManagedObjectContext, String?, _ limit: Int, _ offset: Int) throws -> [Item]
    ) throws {
        try StoreFile.withContext(path, for: .reading) { context in
            let name = try entity.map {
                try EntityNames.entity($0, in: context.model, command: command).name
            }
            let items = try items(context, name, limit, offset)
            if isJSON {
                for item in items { try console.print(try form.json(item)) }
                return
            }
            guard !items.isEmpty else { return try console.print(form.nothing) }
            var table = TextTable(form.titles.map { TextTable.Column($0) })
            for row in try items.flatMap(form.rows) { table.append(row) }
            try console.print(table)
        }
    }
}
