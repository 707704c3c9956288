import Anabranch

/// Lists records that lost their parent to a concurrent delete.
struct OrphansCommand: Command {
    static let specification = CommandSpecification(
        name: "orphans", summary: "Lists records that lost their parent to a concurrent delete.",
        discussion: [
            "A delete with the rule cascade deletes the children that its replica holds. A child "
                + "that another replica added concurrently is kept without a parent. Set another "
                + "parent, or delete it."
        ],
        arguments: RecordListing.arguments("records"), options: RecordListing.options("records"),
        examples: [
            .init("orphans geo.store", "Lists all of them."),
            .init("orphans geo.store Street --limit 10", "Lists the first ten streets."),
        ])

    let listing: RecordListing

    init(_ arguments: ParsedArguments) throws(UsageError) {
        listing = try RecordListing(arguments)
    }

    func run(_ console: Console) async throws {
        let form = RecordListing.Form(
            titles: ["RECORD", "PARENT", "WAS"], nothing: "There are no orphans.",
            rows: { [try row($0)] }, json: json)
        try listing.run(console, form) { try $0.orphans(of: $1, limit: $2, offset: $3) }
    }

    private func row(_ orphan: OrphanedObject) throws -> [String] {
        [
            "\(orphan.entity.name) \(try RecordLabel(orphan.objectID).short)",
            orphan.relationship.name,
            "\(orphan.relationship.destination.name) \(RecordText.short(orphan.parent))",
        ]
    }

    private func json(_ orphan: OrphanedObject) throws -> String {
        let label = try RecordLabel(orphan.objectID)
        return JSONText.object { json in
            json.member("id", label.uri)
            json.member("entity", orphan.entity.name)
            json.member("relationship", orphan.relationship.name)
            json.member("parent", RecordText.long(orphan.parent))
        }
    }
}
