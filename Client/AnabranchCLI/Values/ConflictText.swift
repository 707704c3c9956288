import Anabranch

/// An entry of the conflict journal as text and as JSON.
struct ConflictText {
    static let columns: [TextTable.Column] = [
        .init("ID", .right), .init("RECORD"), .init("PROPERTY"), .init("LOST"), .init("BY"),
        .init("WRITTEN"), .init("AGAINST"),
    ]

    let conflict: Conflict

    init(_ conflict: Conflict) { self.conflict = conflict }

    var row: [String] {
        [
            String(conflict.id), "\(conflict.entity) \(RecordText.short(conflict.record))",
            conflict.property.name.string, Self.shown(conflict.value), author(conflict.lost),
            time(conflict.lost), against,
        ]
    }

    /// The winning write: `Lyon: Bob wrote later, 2026-01-01T12:00:00Z`.
    private var against: String {
        guard let winner = conflict.winner else { return anonymousWinner }
        let deed = "\(author(winner)) \(deed), \(time(winner))"
        return conflict.winningValue.map { "\(Self.shown($0)): \(deed)" } ?? deed
    }

    private var deed: String {
        switch conflict.kind {
        case .concurrentWrite:
            conflict.property.rule == .firstWriter ? "wrote first" : "wrote later"
        case .writeToDeleted: "had deleted it"
        case .deletedWhileWritten, .deletedWithRecord: "deleted it"
        case .linkToDeleted: "deleted an end"
        case .replacedByRepair: "is the zone's value"
        }
    }

    private var anonymousWinner: String {
        switch conflict.kind {
        case .concurrentWrite: conflict.winningValue.map(Self.shown) ?? "another write"
        case .writeToDeleted: "it had been deleted"
        case .deletedWhileWritten, .deletedWithRecord: "it was deleted"
        case .linkToDeleted: "an end was deleted"
        case .replacedByRepair: "the zone does not have it"
        }
    }

    private static func shown(_ value: Value) -> String {
        value.isNull ? "null" : ValueText.text(value)
    }

    private func author(_ write: Conflict.Write) -> String {
        write.author.isEmpty ? RecordText.short(write.stamp.replica) : write.author
    }

    private func time(_ write: Conflict.Write) -> String {
        TimeText.short(wallMilliseconds: write.stamp.timestamp.wallMilliseconds)
    }

    var json: String {
        JSONText.object { json in
            json.member("id", conflict.id)
            json.member("kind", "\(conflict.kind)")
            json.member("record", RecordText.long(conflict.record))
            json.member("entity", conflict.entity)
            json.member("property", conflict.property.name.string)
            json.member("rule", "\(conflict.property.rule)")
            json.key("value")
            json.raw(ValueText.json(conflict.value))
            json.key("lost")
            Self.write(conflict.lost, to: &json)
            json.key("winningValue")
            json.raw(conflict.winningValue.map(ValueText.json) ?? "null")
            json.key("winner")
            if let winner = conflict.winner { Self.write(winner, to: &json) } else { json.null() }
            json.member(
                "noticed", TimeText.precise(wallMilliseconds: conflict.noticedMilliseconds))
        }
    }

    private static func write(_ write: Conflict.Write, to json: inout JSONText) {
        json.object { json in
            json.member("author", write.author)
            json.member("replica", write.stamp.replica.description)
            json.member(
                "time",
                TimeText.precise(wallMilliseconds: write.stamp.timestamp.wallMilliseconds))
        }
    }
}
