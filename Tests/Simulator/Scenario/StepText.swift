import AnabranchProtocol
import AnabranchReplication
import AnabranchStore
import AnabranchSync

extension ChangeSet {
    /// Returns the change set's content for a story: records by number, the replica by the first
    /// digits of its ID.
    func summary() throws -> String {
        guard kind == .save else { return "\(dot.summary): \(kind)" }
        let blocks = try decodedPayload().blocks.map(\.summary)
        return "\(dot.summary) at \(timestamp.wallMilliseconds): "
            + blocks.joined(separator: "; ")
    }
}

extension Dot {
    var summary: String { "\(replica.summary):\(sequence)" }
}

extension ReplicaID {
    var summary: String { String(description.prefix(4)) }
}

extension RecordID {
    var summary: String { "\(replica.summary)/\(number)" }
}

extension ChangeBlock {
    fileprivate var summary: String {
        switch self {
        case .insert(let rows): "insert \(rows.summary)"
        case .update(let rows): "update \(rows.summary)"
        case .add(let rows): "add \(rows.summary)"
        case .write(let block):
            "write \(block.entity) "
                + block.writes.map { "\($0.record.summary) (\(block.property.name) = \($0.value))" }
                .joined(separator: ", ")
        case .yieldingDelete(let block):
            "delete for now \(block.entity) "
                + block.deletes.map(\.record.summary).joined(separator: ", ")
        case .delete(let deleted):
            "delete \(deleted.entity) \(deleted.records.map(\.summary).joined(separator: ", "))"
        case .link(let links): "link \(links.summary)"
        case .unlink(let links): "unlink \(links.summary)"
        case .move(let links): "move \(links.summary)"
        case .unknown(let operation, _): "operation \(operation)"
        }
    }
}

extension RowBlock {
    fileprivate var summary: String {
        let rows = records.indices.map { place in
            let cells = zip(properties, columns).map { "\($0.name) = \($1[place])" }
            return "\(records[place].summary) (\(cells.joined(separator: ", ")))"
        }
        return "\(entity) \(rows.joined(separator: ", "))"
    }
}

extension LinkBlock {
    fileprivate var summary: String {
        links.map { "\($0.left.summary) \(property.name) \($0.right.summary)" }
            .joined(separator: ", ")
    }
}

extension SyncSession.Event {
    /// The name of the case, and its associated values if they are short.
    var summary: String {
        switch self {
        case .received(let body): "\(body.count) bytes"
        case .compared(let comparison):
            "\(comparison.ranges.count) ranges, \(comparison.records.count) records differ"
        case .queuedForRepair: "queued for repair"
        case .refused(let refusal, _): "refusal \(refusal.code.rawValue)"
        case .failed(let error), .storeFailed(let error): "failure \(error.code.rawValue)"
        case .loaded(let sets, _):
            "sets " + sets.map(\.changeSet.dot.summary).joined(separator: ", ")
        case .recordsToRepair(let records):
            "repair queue " + records.map(\.summary).joined(separator: ", ")
        case .applied: "applied"
        case .cursorMoved: "cursor moved"
        case .lacking(let part): "lacks \(part.part.byteCount - part.heldBytes) bytes of a part"
        case .kept: "kept"
        case .piece(let piece): "piece of \(piece?.bytes.count ?? 0) bytes"
        case .acknowledged: "acknowledged"
        case .renewed: "renewed"
        case .restamped: "restamped"
        case .rewritten(let state): state == nil ? "nothing rewritten" : "rewritten"
        case .staged: "staged"
        case .recorded: "noted"
        case .cursor(let cursor): "cursor at \(cursor.map { "\($0.position)" } ?? "nothing")"
        case .supplied(let entries):
            "sets " + entries.map(\.changeSet.dot.summary).joined(separator: ", ")
        case .rewound: "rewound"
        case .waited: "waited"
        }
    }
}

extension SyncSession.StoreWork {
    var summary: String {
        switch self {
        case .apply(let page):
            "apply " + page.changeSets.map(\.dot.summary).joined(separator: ", ")
        case .acknowledge(let items, _):
            "acknowledge "
                + items.map { "\($0.dot.summary) at \($0.position)" }
                .joined(separator: ", ")
        case .loadPending: "load what is pending"
        case .keep(let piece, let part, let start):
            "keep \(piece.count) bytes of a part of \(part.byteCount) from \(start)"
        case .loadPiece(let set, let number, let start, _):
            "load part \(number) of \(set.dot.summary) from \(start)"
        case .renewIdentity: "renew the identity"
        case .recordEpochs(let epochs): "note \(epochs.count) epochs"
        case .cursor(let position, _): "the cursor at \(position)"
        case .rewind(let cursor): "rewind to \(cursor.position)"
        case .loadRecordsToRepair: "load the repair queue"
        case .repair(let images, let place):
            "repair \(images.map(\.id.summary).joined(separator: ", ")) as of \(place.position)"
        case .stage(_, let number, let snapshot):
            "stage chunk \(number) of \(snapshot.chunkCount)"
        case .loadSnapshot: "load the snapshot"
        case .supply(let missing):
            "supply \(missing.replica.summary):\(missing.sequences)"
        case .renameBranch(let dot, _): "yield the name \(dot.summary)"
        case .takeForms(let items, _):
            "take the forms of " + items.map(\.dot.summary).joined(separator: ", ")
        case .compare(let ranges, let place):
            "compare \(ranges.count) ranges at \(place.position)"
        case .queueForRepair(let records):
            "queue for repair \(records.map(\.summary).joined(separator: ", "))"
        case .wantSnapshot: "want a snapshot"
        case .restamp(let limit, _): "restamp above \(limit.wallMilliseconds)"
        }
    }
}
