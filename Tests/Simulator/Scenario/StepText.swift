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
    /// What the zone or the store has answered, in a few words.
    var summary: String {
        switch self {
        case .answered(let answer): answer.summary
        case .refused(let refusal, _): "refusal \(refusal.code.rawValue)"
        case .failed(let error): "failure \(error.code.rawValue)"
        case .waited: "waited"
        }
    }
}

extension StepAnswer {
    fileprivate var summary: String {
        switch value {
        case let body as [UInt8]: "\(body.count) bytes"
        case PageAnswer.applied, ContentAnswer.applied: "applied"
        case PageAnswer.cursorMoved, ContentAnswer.cursorMoved, ComparisonAnswer.cursorMoved:
            "cursor moved"
        case PageAnswer.lacking(let part):
            "lacks \(part.part.byteCount - part.heldBytes) bytes of a part"
        case ComparisonAnswer.compared(let comparison):
            "\(comparison.ranges.count) ranges, \(comparison.records.count) records differ"
        case let pending as PendingAnswer: pending.sets.summary
        case let entries as [StoredLogEntry]: entries.summary
        case let records as [RecordID]:
            "repair queue " + records.map(\.summary).joined(separator: ", ")
        case let piece as PartPiece: "piece of \(piece.bytes.count) bytes"
        case let cursor as LogCursor: "cursor at \(cursor.position)"
        case is SyncState, is RewindAnswer, is Void: "done"
        default: "nothing"
        }
    }
}

extension [StoredLogEntry] {
    fileprivate var summary: String {
        "sets " + map(\.changeSet.dot.summary).joined(separator: ", ")
    }
}

extension StoreStep {
    /// What the store is to do, with the names of change sets and records.
    var summary: String {
        switch self {
        case let step as ApplyingPage:
            "apply " + step.page.changeSets.map(\.dot.summary).joined(separator: ", ")
        case let step as Acknowledging:
            "acknowledge "
                + step.acknowledged.map { "\($0.dot.summary) at \($0.position)" }
                .joined(separator: ", ")
        case let step as TakingForms:
            "take forms of " + step.forms.map(\.dot.summary).joined(separator: ", ")
        case let step as RepairingRecords:
            "\(step): " + step.images.map(\.id.summary).joined(separator: ", ")
        case let step as QueueingRepairs:
            "\(step): " + step.records.map(\.summary).joined(separator: ", ")
        default: description
        }
    }
}
