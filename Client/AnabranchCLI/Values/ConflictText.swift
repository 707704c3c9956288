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
            conflict.property.name.string, ValueText.shown(conflict.value),
            WriteText(conflict.lost).author,
            WriteText(conflict.lost).time, against,
        ]
    }

    /// The winning write: `Lyon: Bob wrote later, 2026-01-01T12:00:00Z`.
    private var against: String {
        guard let winner = conflict.winner else { return anonymousWinner }
        let write = WriteText(winner)
        let deed = "\(write.author) \(deed), \(write.time)"
        return conflict.winningValue.map { "\(ValueText.shown($0)): \(deed)" } ?? deed
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
        case .concurrentWrite: conflict.winningValue.map(ValueText.shown) ?? "another write"
        case .writeToDeleted: "it had been deleted"
        case .deletedWhileWritten, .deletedWithRecord: "it was deleted"
        case .linkToDeleted: "an end was deleted"
        case .replacedByRepair: "the zone does not have it"
        }
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
            WriteText(conflict.lost).write(to: &json)
            json.key("winningValue")
            json.raw(conflict.winningValue.map(ValueText.json) ?? "null")
            json.key("winner")
            if let winner = conflict.winner {
                WriteText(winner).write(to: &json)
            } else {
                json.null()
            }
            json.member(
                "noticed", TimeText.precise(wallMilliseconds: conflict.noticedMilliseconds))
        }
    }
}
