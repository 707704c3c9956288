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
        arguments: RecordListing.arguments("objects"), options: RecordListing.options("objects"),
        examples: [
            .init("duplicates people.store", "All of them."),
            .init("duplicates people.store Person --limit 10", "The first ten people."),
        ])

    let listing: RecordListing

    init(_ arguments: ParsedArguments) throws(UsageError) {
        listing = try RecordListing(arguments)
    }

    func run(_ console: Console) async throws {
        let form = RecordListing.Form(
            titles: ["RECORD", "SHOWS ALSO"], nothing: "There are no duplicates.", row: row,
            json: json)
        try listing.run(console, form) { try $0.duplicates(of: $1, limit: $2, offset: $3) }
    }

    private func row(_ duplicate: Duplicate) throws -> [String] {
        let id = duplicate.objectID
        return [
            "\(id.entity.name) \(try RecordLabel(id).short)",
            duplicate.others.map(RecordText.short).joined(separator: ", "),
        ]
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
