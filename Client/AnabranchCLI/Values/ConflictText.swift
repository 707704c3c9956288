import Anabranch

/// An entry of the conflict journal as text and as JSON.
struct ConflictText {
    static let columns: [TextTable.Column] = [
        .init("ID", .right), .init("RECORD"), .init("PROPERTY"), .init("LOST"), .init("BY"),
        .init("WRITTEN"), .init("AGAINST"),
    ]

    let conflict: ConflictEntry

    init(_ conflict: ConflictEntry) { self.conflict = conflict }

    var row: [String] {
        [
            String(conflict.id), "\(conflict.entity) \(RecordText.short(conflict.record))",
            conflict.property.name.string, ValueText.shown(conflict.value),
            conflict.lost.authorLabel, WriteText(conflict.lost).time, against,
        ]
    }

    /// The winning value and write: `Lyon: Bob wrote later, 2026-01-01T12:00:00Z`.
    private var against: String {
        guard let value = conflict.winningValue.map(ValueText.shown) else { return conflict.cause }
        return conflict.winner == nil ? value : "\(value): \(conflict.cause)"
    }

    var json: String {
        JSONText.object { json in
            json.member("id", conflict.id)
            json.member("kind", "\(conflict.kind)")
            json.member("record", RecordText.long(conflict.record))
            json.member("entity", conflict.entity)
            json.member("property", conflict.property.name.string)
            json.member("rule", "\(conflict.property.rule)")
            json.member("value", raw: ValueText.json(conflict.value))
            json.key("lost")
            WriteText(conflict.lost).write(to: &json)
            json.member("winningValue", raw: conflict.winningValue.map(ValueText.json) ?? "null")
            json.key("winner")
            if let winner = conflict.winner {
                WriteText(winner).write(to: &json)
            } else {
                json.null()
            }
            json.member("noticed", TimeText.precise(wallMilliseconds: conflict.noticedMilliseconds))
        }
    }
}
