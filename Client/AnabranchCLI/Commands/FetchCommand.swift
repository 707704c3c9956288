import Anabranch

/// Finds records.
struct FetchCommand: Command {
    static let specification = CommandSpecification(
        name: "fetch", summary: "Finds records and shows them as a table.",
        discussion: [
            "Without --columns all attributes and to-one relationships are shown.",
            "With --group-by, --sum, --avg, --min, --max or --distinct it shows rows of values. "
                + "These can be sorted by the titles of their columns: --sort \"-count\".",
        ],
        arguments: [.store, .entity],
        options: RecordQuery.options + RowQuery.options + [
            .flag("count", "Prints only the number of records, or of rows."), .json,
        ],
        examples: [
            .init(
                "fetch geo.store City --where \"country.alpha2 == 'FR'\" --sort name --limit 10",
                "Shows the first ten cities of France."),
            .init("fetch geo.store Country --count", "Counts the countries."),
            .init(
                "fetch geo.store City --group-by country.name --sum population --sort -count",
                "Shows the number of cities of each country and their inhabitants."),
        ])

    let path: String
    let entity: String
    let query: RecordQuery
    let rows: RowQuery?
    let isCount: Bool
    let isJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        path = try arguments.word("STORE")
        entity = try arguments.word("ENTITY")
        query = try RecordQuery(arguments)
        rows = RowQuery(arguments, query)
        isCount = arguments.isSet("count")
        isJSON = arguments.isSet("json")
    }

    func run(_ console: Console) async throws {
        try StoreFile.withContext(path, for: .reading) { context in
            let entity = try EntityNames.entity(entity, in: context.model, command: query.command)
            if let rows { return try write(rows, of: entity, in: context, console) }
            if isCount {
                return try printCount(try context.count(for: query.request(of: entity)), console)
            }
            let columns = try query.columns(of: entity)
            let output = RecordOutput(columns: columns, isJSON: isJSON)
            if isJSON {
                return try query.forEachPiece(of: entity, in: context) {
                    try output.write($0, to: console)
                }
            }
            // A table needs every row before it knows the widths of its columns.
            let objects = try context.fetch(try query.request(of: entity))
            try output.write(objects, to: console)
        }
    }

    private func printCount(_ count: Int, _ console: Console) throws {
        try console.print(isJSON ? JSONText.object { $0.member("count", count) } : String(count))
    }

    private func write(
        _ rows: RowQuery, of entity: EntityDescription, in context: ManagedObjectContext,
        _ console: Console
    ) throws {
        let request = try rows.request(of: entity)
        if isCount { return try printCount(try context.count(for: request), console) }
        let found = try context.fetch(request)
        let names = found.first?.names ?? request.propertiesToFetch.map(\.name)
        try RowOutput(isJSON: isJSON).write(found, titled: names, to: console)
    }
}
