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
                + "its records, and a new key is set on all of them.",
            "Each record is listed, with every value that differs from the one that the object "
                + "shows. 'anabranch update' saves such a value again. A later edit of the "
                + "property leaves it in the conflict journal ('anabranch conflicts').",
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
            titles: ["OBJECT", "RECORD", "PROPERTY", "HELD", "BY", "WRITTEN", "SHOWN"],
            nothing: "There are no duplicates.", rows: rows, json: json)
        try listing.run(console, form) { try $0.duplicates(of: $1, limit: $2, offset: $3) }
    }

    private func rows(_ duplicate: MergedObject) throws -> [[String]] {
        let id = duplicate.objectID
        let object = "\(id.entity.name) \(try RecordLabel(id).short)"
        return duplicate.members.flatMap { member -> [[String]] in
            let start = [object, RecordText.short(member.record)]
            guard !member.hiddenWrites.isEmpty else { return [start] }
            return member.hiddenWrites.map { start + HiddenWriteText($0).cells }
        }
    }

    private func json(_ duplicate: MergedObject) throws -> String {
        let label = try RecordLabel(duplicate.objectID)
        return JSONText.object { json in
            json.member("id", label.uri)
            json.member("entity", duplicate.objectID.entity.name)
            json.member("others", duplicate.mergedDuplicates.map { RecordText.long($0) })
            json.array("members") { json in
                for member in duplicate.members { write(member, to: &json) }
            }
        }
    }

    private func write(_ member: MergedObject.Member, to json: inout JSONText) {
        json.object { json in
            json.member("record", RecordText.long(member.record))
            json.array("hidden") { json in
                for hidden in member.hiddenWrites { HiddenWriteText(hidden).write(to: &json) }
            }
        }
    }
}
