import Anabranch

/// A rejected save as text and as JSON.
struct RejectedSaveText {
    static let columns: [TextTable.Column] = [
        .init("ID", .right), .init("SAVED"), .init("BY"), .init("CHANGES"), .init("REJECTED"),
    ]

    let save: RejectedSave

    init(_ save: RejectedSave) { self.save = save }

    /// The operations; `nil` if the save has a later format.
    private var blocks: [ChangeBlock]? { try? save.operations() }

    private var changes: String {
        blocks.map(ChangeSetText.summary) ?? "not readable by this version"
    }

    private var author: String {
        let set = save.changeSet
        return set.author.isEmpty ? RecordText.short(set.dot.replica) : set.author
    }

    var row: [String] {
        [
            String(save.id),
            TimeText.short(wallMilliseconds: save.changeSet.timestamp.wallMilliseconds), author,
            changes, save.rejection.description,
        ]
    }

    var json: String {
        JSONText.object { json in
            json.member("id", save.id)
            json.member("dot", save.changeSet.dot.description)
            json.member(
                "time",
                TimeText.precise(wallMilliseconds: save.changeSet.timestamp.wallMilliseconds))
            json.member("author", save.changeSet.author)
            json.member("name", save.changeSet.name)
            json.member("code", save.rejection.code.rawValue)
            json.member("reason", save.rejection.reason)
            json.member("noticed", TimeText.precise(wallMilliseconds: save.noticedMilliseconds))
            json.member("laterSaves", save.consequences.count)
            json.member("summary", changes)
        }
    }
}
