import Anabranch

/// Lists objects that combine several records with one unique key.
struct DuplicatesCommand: Command {
    static let specification = CommandSpecification(
        name: "duplicates",
        summary: "Lists records that were merged because they have one unique "
            + "key.",
        discussion: [
            "Two replicas can concurrently insert records with the same unique key. They are "
                + "shown as one object with the merged values. Deleting the object deletes all of "
                + "its records, and a new key is set on all of them."
        ],
        arguments: RecordListing.arguments("objects"), options: RecordListing.options("objects"),
        examples: [
            .init("duplicates people.store", "Lists all of them."),
            .init("duplicates people.store Person --limit 10", "Lists the first ten people."),
        ])

    let listing: RecordListing

    init(_ arguments: ParsedArguments) throws(UsageError) {
        listing = try RecordListing(arguments)
    }

    func run(_ console: Console) async throws {
        let form = RecordListing.Form(
            titles: ["RECORD", "MERGED DUPLICATES"], nothing: "There are no duplicates.", row: row,
            json: json)
        try listing.run(console, form) { try $0.duplicates(of: $1, limit: $2, offset: $3) }
    }

    private func row(_ duplicate: Duplicate) throws -> [String] {
        let id = duplicate.objectID
        return [
            "\(id.entity.name) \(try RecordLabel(id).short)",
            duplicate.mergedDuplicates.map(RecordText.short).joined(separator: ", "),
        ]
    }

    private func json(_ duplicate: Duplicate) throws -> String {
        let label = try RecordLabel(duplicate.objectID)
        return JSONText.object { json in
            json.member("id", label.uri)
            json.member("entity", duplicate.objectID.entity.name)
            json.key("others")
            json.array { json in
                for record in duplicate.mergedDuplicates { json.string(RecordText.long(record)) }
            }
        }
    }
}
