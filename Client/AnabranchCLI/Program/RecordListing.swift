import Anabranch

/// Which records a command lists that lists records of a kind, and in which form.
struct RecordListing {
    /// What makes a listing of things.
    struct Form<Item> {
        var titles: [String]
        /// Said where there is nothing to list.
        var nothing: String
        /// In the order of the titles.
        var row: (Item) throws -> [String]
        /// One object.
        var json: (Item) throws -> String
    }

    private let path: String
    private let entity: String?
    private let limit: Int
    private let offset: Int
    private let command: String
    private let isJSON: Bool

    /// - Parameter items: What is listed, in the plural.
    static func arguments(_ items: String) -> [ArgumentSpecification] {
        [
            .store,
            ArgumentSpecification("ENTITY", "Only \(items) of this entity.", isRequired: false),
        ]
    }

    /// - Parameter items: What is listed, in the plural.
    static func options(_ items: String) -> [OptionSpecification] {
        [
            OptionSpecification("limit", "N", "At most so many \(items)."),
            OptionSpecification("offset", "N", "Leaves out so many before."),
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

    /// - Parameter items: Those of an entity, or of all, at most so many, behind so many.
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
            for item in items { table.append(try form.row(item)) }
            try console.print(table)
        }
    }
}
