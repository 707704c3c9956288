import Anabranch

/// The options of `fetch` and `export` that select, sort and limit records.
struct RecordQuery {
    let predicate: String?
    let search: String?
    let sorts: [String]
    let limit: Int
    let offset: Int
    let columns: [String]
    let command: String

    static let options = [
        OptionSpecification(
            "where", "PREDICATE",
            "Only records that match a predicate in NSPredicate's language: \"age >= 18 AND name "
                + "BEGINSWITH 'A'\". A time is a text: founded > '2024-05-01T12:30:00Z'."),
        OptionSpecification(
            "search", "WORDS",
            "Only records with these words in their searchable attributes, the best ones first: "
                + "\"swift sync*\", 'swift OR rust', '\"object graph\"'."),
        OptionSpecification(
            "sort", "KEYS",
            "Key paths to sort by, separated by commas; a dash before one sorts descending: "
                + "-area,name."),
        OptionSpecification("limit", "N", "The greatest number of records."),
        OptionSpecification("offset", "N", "Skips the first N records."),
        OptionSpecification(
            "columns", "NAMES",
            "The columns to show, separated by commas, also of related records: "
                + "name,country.name."),
    ]

    init(_ arguments: ParsedArguments) throws(UsageError) {
        predicate = arguments.text("where")
        search = arguments.text("search")
        sorts = (arguments.text("sort") ?? "").split(separator: ",").map(String.init)
        limit = try arguments.number("limit", in: 1 ... .max) ?? 0
        offset = try arguments.number("offset", in: 0 ... .max) ?? 0
        columns = (arguments.text("columns") ?? "").split(separator: ",").map(String.init)
        command = arguments.command
    }

    func request(of entity: EntityDescription) throws -> FetchRequest<ManagedObject> {
        var request = FetchRequest<ManagedObject>(entityName: entity.name)
        request.predicate = try condition(of: entity)
        request.sorts = sorts.map { key in
            key.hasPrefix("-")
                ? FetchSort(String(key.dropFirst()), ascending: false) : FetchSort(key)
        }
        if sorts.isEmpty, search != nil {
            request.sorts = [FetchSort("@relevance", ascending: false)]
        }
        request.fetchLimit = limit
        request.fetchOffset = offset
        return request
    }

    private func condition(of entity: EntityDescription) throws -> FetchPredicate? {
        let condition = try predicate.map { format in
            try DateConstants(entity: entity, command: command)
                .reading(FetchPredicate(format: format, arguments: []))
        }
        guard let search else { return condition }
        // A wrong query is an error of its own, not one of a predicate.
        _ = try TextQuery(search)
        let found = try FetchPredicate("SELF MATCHES[s] %@", search)
        return condition.map { $0.and(found) } ?? found
    }

    func columns(
        of entity: EntityDescription, isToManyIncluded: Bool = false
    ) throws(UsageError) -> [RecordColumn] {
        guard !columns.isEmpty else {
            return try RecordColumn.standard(
                of: entity, isToManyIncluded: isToManyIncluded, command: command)
        }
        var found: [RecordColumn] = []
        for path in columns { found.append(try RecordColumn(path, of: entity, command: command)) }
        return found
    }

    /// Calls `body` with pieces of the result, so that memory does not grow with its size.
    func forEachPiece(
        of entity: EntityDescription, in context: ManagedObjectContext,
        _ body: ([ManagedObject]) throws -> Void
    ) throws {
        var request = try request(of: entity)
        if request.sorts.isEmpty { request.sorts = [FetchSort("SELF")] }
        var rest = try context.objectIDs(for: request)[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(Self.pieceSize))
            rest = rest.dropFirst(piece.count)
            var fetch = FetchRequest<ManagedObject>(entityName: entity.name)
            fetch.predicate = try FetchPredicate("SELF IN %@", piece)
            let found = try context.fetch(fetch)
            let byID = Dictionary(
                found.map { ($0.objectID, $0) }, uniquingKeysWith: { first, _ in first })
            try body(piece.compactMap { byID[$0] })
            context.reset()
        }
    }

    private static let pieceSize = 500
}
