import Anabranch

/// Lists what merging has discarded.
struct ConflictsCommand: Command {
    static let specification = CommandSpecification(
        name: "conflicts", summary: "Lists what merging has discarded, the newest first.",
        discussion: [
            "Where two replicas wrote one property without knowing of each other, the later "
                + "write stays and the other is kept here, with its author and time. So is what "
                + "was written to a record that somebody else had deleted."
        ],
        options: [OptionSpecification("limit", "N", "At most so many."), .json],
        examples: [.init("conflicts geo.store", "The whole journal.")])

    let path: String
    let limit: Int
    let isJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        path = try arguments.word("STORE")
        limit = try arguments.number("limit", in: 1 ... .max) ?? .max
        isJSON = arguments.isSet("json")
    }

    func run(_ console: Console) async throws {
        let container = try StoreFile.open(path, for: .reading)
        defer { container.coordinator.close() }
        let conflicts = try container.coordinator.conflicts(limit: limit)
        if isJSON {
            for conflict in conflicts { try console.print(json(conflict)) }
            return
        }
        guard !conflicts.isEmpty else { return try console.print("Nothing was discarded.") }
        var table = TextTable("RECORD", "PROPERTY", "DISCARDED", "OF", "WRITTEN", "BECAUSE")
        for conflict in conflicts {
            table.append([
                "\(conflict.entity) \(RecordText.short(conflict.record))",
                conflict.property.name.string, ValueText.text(conflict.value),
                author(conflict.lost),
                TimeText.short(wallMilliseconds: conflict.lost.stamp.timestamp.wallMilliseconds),
                reason(conflict),
            ])
        }
        try console.print(table)
    }

    private func author(_ write: Conflict.Write) -> String {
        write.author.isEmpty ? RecordText.short(write.stamp.replica) : write.author
    }

    private func time(_ write: Conflict.Write) -> String {
        TimeText.precise(wallMilliseconds: write.stamp.timestamp.wallMilliseconds)
    }

    private func reason(_ conflict: Conflict) -> String {
        let winner = conflict.winner.map(author)
        return switch conflict.kind {
        case .concurrentWrite: winner.map { "\($0) wrote later" } ?? "there is a later write"
        case .writeToDeleted: winner.map { "\($0) had deleted it" } ?? "it had been deleted"
        case .deletedWhileWritten: winner.map { "\($0) deleted it" } ?? "it was deleted"
        case .linkToDeleted: winner.map { "\($0) deleted an end" } ?? "an end was deleted"
        }
    }

    private func json(_ conflict: Conflict) -> String {
        JSONText.object { json in
            json.member("kind", "\(conflict.kind)")
            json.member("record", RecordText.long(conflict.record))
            json.member("entity", conflict.entity)
            json.member("property", conflict.property.name.string)
            json.key("value")
            json.raw(ValueText.json(conflict.value))
            json.key("lost")
            write(conflict.lost, to: &json)
            json.key("winner")
            if let winner = conflict.winner { write(winner, to: &json) } else { json.null() }
            json.member(
                "noticed", TimeText.precise(wallMilliseconds: conflict.noticedMilliseconds))
        }
    }

    private func write(_ write: Conflict.Write, to json: inout JSONText) {
        json.object { json in
            json.member("author", write.author)
            json.member("replica", write.stamp.replica.description)
            json.member("time", time(write))
        }
    }
}
