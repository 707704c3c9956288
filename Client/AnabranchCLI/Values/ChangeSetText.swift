import Anabranch

/// The content of a change set as text and as JSON.
struct ChangeSetText {
    let set: LoggedChangeSet
    private let payload: ChangePayload?

    init(_ set: LoggedChangeSet) {
        self.set = set
        // A change set of a later format still has a dot, an author and a time to show.
        payload = try? set.changeSet.decodedPayload()
    }

    var blocks: [ChangeBlock] { payload?.blocks ?? [] }

    /// The summary of the changes: `+249 Country, ~1 Country, -1 City, 3 links`.
    var summary: String { Self.summary(of: set.changeSet) }

    static func summary(of changeSet: ChangeSet) -> String {
        switch changeSet.kind {
        case .save: break
        case .saveInParts:
            guard let parts = try? changeSet.parts() else { break }
            let size = Quantity.bytes(PartList(parts).byteCount)
            return "a large save: \(size) in \(parts.count) parts"
        case .void: return "rejected: " + (changeSet.rejection?.description ?? "")
        case .lost: return "lost: no replica could supply it"
        default: return "entry of the zone"
        }
        guard let payload = try? changeSet.decodedPayload() else {
            return "not readable by this version"
        }
        return summary(of: payload.blocks)
    }

    static func summary(of blocks: [ChangeBlock]) -> String {
        let parts = blocks.map { block in
            switch block {
            case .insert(let rows): "+\(rows.records.count) \(rows.entity)"
            case .update(let rows), .add(let rows):
                "~\(rows.records.count) \(rows.entity) ("
                    + rows.properties.map(\.name.string).joined(separator: ", ") + ")"
            case .write(let block):
                "~\(block.writes.count) \(block.entity) (\(block.property.name))"
            case .delete(let rows): "-\(rows.records.count) \(rows.entity)"
            case .yieldingDelete(let block): "-\(block.deletes.count) \(block.entity)"
            case .link(let links): "+" + links.summary
            case .unlink(let links): "-" + links.summary
            case .move(let links): "~" + links.summary
            case .unknown: "an operation of a later version"
            }
        }
        return parts.joined(separator: ", ")
    }

    var time: String {
        TimeText.precise(wallMilliseconds: set.changeSet.timestamp.wallMilliseconds)
    }

    /// The causal context: a prefix of the zone's log, and the heads of replicas beyond it.
    var vector: String {
        let context = set.changeSet.context
        let prefix = context.prefix.map { "zone \($0.position)" }
        let beyond = context.beyond.map { RecordText.short($0.dot) }
        let all = [prefix].compactMap { $0 } + beyond
        return all.isEmpty ? "nothing" : all.joined(separator: ", ")
    }

    func json(withBlocks: Bool) -> String {
        let changeSet = set.changeSet
        return JSONText.object { json in
            json.member("position", set.position.rawValue)
            json.member("zonePosition", raw: set.zonePosition.map(String.init) ?? "null")
            json.member("dot", changeSet.dot.description)
            json.member("time", time)
            json.member("timestamp", changeSet.timestamp.rawValue)
            json.member("author", changeSet.author)
            json.member("name", changeSet.name)
            json.member("origin", changeSet.origin.description)
            json.member("digest", changeSet.digest.description)
            json.member("byteCount", changeSet.savedBytes)
            writeContext(to: &json)
            json.member("summary", summary)
            if withBlocks {
                json.array("operations") { json in for block in blocks { block.write(to: &json) } }
            }
        }
    }

    private func writeContext(to json: inout JSONText) {
        let context = set.changeSet.context
        json.object("context") { json in
            json.member("epoch", context.prefix?.epoch.description)
            json.member("position", raw: context.prefix.map { String($0.position) } ?? "null")
            json.member("beyond", context.beyond.map { $0.dot.description })
        }
    }
}

extension ChangeBlock {
    fileprivate func write(to json: inout JSONText) {
        json.object { json in
            switch self {
            case .insert(let rows): rows.write(as: "insert", to: &json)
            case .update(let rows): rows.write(as: "update", to: &json)
            case .add(let rows): rows.write(as: "add", to: &json)
            case .write(let siblings): siblings.write(to: &json)
            case .delete(let block): block.write(as: "delete", to: &json)
            case .yieldingDelete(let block):
                RecordBlock(entity: block.entity, records: block.deletes.map(\.record))
                    .write(as: "yieldingDelete", to: &json)
            case .link(let links): links.write(as: "link", to: &json)
            case .unlink(let links): links.write(as: "unlink", to: &json)
            case .move(let links): links.write(as: "move", to: &json)
            case .unknown(let operation, let bytes):
                json.member("operation", operation)
                json.member("bytes", bytes.hexadecimal)
            }
        }
    }
}

extension RowBlock {
    fileprivate func write(as operation: String, to json: inout JSONText) {
        json.member("operation", operation)
        json.member("entity", entity.string)
        json.array("records") { json in
            for (row, record) in records.enumerated() {
                json.object { json in
                    json.member("@id", RecordText.long(record))
                    for (property, column) in zip(properties, columns) {
                        json.member(property.name.string, raw: ValueText.json(column[row]))
                    }
                }
            }
        }
    }
}

extension SiblingBlock {
    fileprivate func write(to json: inout JSONText) {
        RowBlock(
            entity: entity, records: writes.map(\.record), properties: [property],
            columns: [ValueColumn(writes.map(\.value))]
        ).write(as: "write", to: &json)
    }
}

extension RecordBlock {
    fileprivate func write(as operation: String, to json: inout JSONText) {
        json.member("operation", operation)
        json.member("entity", entity.string)
        json.member("records", records.map { RecordText.long($0) })
    }
}

extension LinkBlock {
    fileprivate var summary: String {
        "\(Quantity.text(links.count, "link")) \(entity).\(property.name)"
    }

    fileprivate func write(as operation: String, to json: inout JSONText) {
        json.member("operation", operation)
        json.member("entity", entity.string)
        json.member("property", property.name.string)
        json.array("links") { json in
            for link in links {
                json.array { json in
                    json.string(RecordText.long(link.left))
                    json.string(RecordText.long(link.right))
                }
            }
        }
    }
}
