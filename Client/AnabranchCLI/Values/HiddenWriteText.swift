import Anabranch

/// A value that is held and not shown, as text and as JSON.
struct HiddenWriteText {
    static let columns: [TextTable.Column] = [
        .init("RECORD"), .init("PROPERTY"), .init("HELD"), .init("BY"), .init("WRITTEN"),
        .init("SHOWN"), .init("BECAUSE"),
    ]

    let hidden: HiddenWrite

    init(_ hidden: HiddenWrite) { self.hidden = hidden }

    /// The cells of ``columns``. The record is the one that holds the value.
    var row: [String] {
        ["\(hidden.objectID.entity.name) \(RecordText.short(hidden.held.record))"] + cells
            + [reason]
    }

    /// The property, the value, its author and time, and the value that shows instead.
    var cells: [String] {
        [
            hidden.key, ValueText.shown(hidden.held.value), hidden.held.write.authorLabel,
            WriteText(hidden.held.write).time, ValueText.shown(hidden.shownValue),
        ]
    }

    /// One sentence for a list of properties.
    var line: String {
        let write = hidden.held.write
        return "\(ValueText.shown(hidden.held.value)), by \(write.authorLabel), "
            + "\(WriteText(write).time): \(reason)"
    }

    private var reason: String {
        switch hidden.rule {
        case .uniqueKey: "another record with its unique key shows"
        case .oneToOne: "another record holds the target by a later write"
        case .acyclic: "it would close a cycle"
        case .ownInverse: "the target does not refer back"
        case .keepBoth: "the later of both values shows"
        }
    }

    /// The value as a JSON object.
    func write(to json: inout JSONText) {
        json.object { json in
            json.member("property", hidden.key)
            json.member("rule", hidden.rule.rawValue)
            json.member("record", RecordText.long(hidden.held.record))
            json.member("value", raw: ValueText.json(hidden.held.value))
            json.key("held")
            WriteText(hidden.held.write).write(to: &json)
            json.member("shownValue", raw: ValueText.json(hidden.shownValue))
        }
    }

    /// The value with the object that does not show it, as a JSON object.
    func json() throws -> String {
        let uri = try RecordLabel(hidden.objectID).uri
        return JSONText.object { json in
            json.member("@id", uri)
            json.member("@entity", hidden.objectID.entity.name)
            json.key("hidden")
            write(to: &json)
        }
    }
}
