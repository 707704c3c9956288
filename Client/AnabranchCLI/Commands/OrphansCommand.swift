import Anabranch

/// Lists records whose parents somebody deleted who did not know of them.
struct OrphansCommand: Command {
    static let specification = CommandSpecification(
        name: "orphans", summary: "Lists records that a deleted parent has left behind.",
        discussion: [
            "A delete takes along what it knows of. What somebody else put below the record "
                + "meanwhile is kept, without a parent: give it another, or delete it."
        ],
        arguments: RecordListing.arguments("records"), options: RecordListing.options("records"),
        examples: [
            .init("orphans geo.store", "All of them."),
            .init("orphans geo.store Street --limit 10", "The first ten streets."),
        ])

    let listing: RecordListing

    init(_ arguments: ParsedArguments) throws(UsageError) {
        listing = try RecordListing(arguments)
    }

    func run(_ console: Console) async throws {
        let form = RecordListing.Form(
            titles: ["RECORD", "PARENT", "WAS"], nothing: "There are no orphans.", row: row,
            json: json)
        try listing.run(console, form) { try $0.orphans(of: $1, limit: $2, offset: $3) }
    }

    private func row(_ orphan: Orphan) throws -> [String] {
        [
            "\(orphan.entity.name) \(try RecordLabel(orphan.objectID).short)",
            orphan.relationship.name,
            "\(orphan.relationship.destination.name) \(RecordText.short(orphan.parent))",
        ]
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
