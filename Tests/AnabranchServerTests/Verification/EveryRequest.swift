import AnabranchProtocol
import AnabranchReplication
import TestSupport
import Testing

@testable import AnabranchServer

/// Saves that fill a zone with every kind of row, and every kind of request on it.
struct EveryRequest {
    private static let notes = WireProperty(name: "notes", type: .string, rule: .keepBoth)

    private let epoch: EpochID
    private let records: [RecordID]
    private let later: ChangeSet
    private let part: SavePart

    /// Fills an empty zone.
    init(filling zone: ZoneService) throws {
        var author = TestAuthor(1)
        var other = TestAuthor(2)
        let people = (0..<20).map { author.insertPerson("person \($0)") }
        records = people.map(\.1)
        var sets = people.map(\.0)
        sets.append(author.save(zip(records, records.dropFirst()).map { .befriend($0.0, $0.1) }))
        sets.append(author.save(Self.edits(records, people[4].0.stamp)))
        sets.append(other.insertPerson("Eve").0)
        let payload = ChangePayload(blocks: [.person(author.newRecord(), name: "in a part")])
            .encoded(author: author.replica)
        part = SavePart(of: payload)
        sets.append(author.save(payload: PartList([part]).encoded(), as: .saveInParts))
        later = author.save([.rename(records[5], to: "later"), .delete(records[6])])
        epoch = try zone.head().epoch
        _ = try zone.stage(StageRequest(part: part, start: 0, bytes: payload))
        let answer = try zone.push(PushRequest(epoch: epoch, changeSets: sets.map { $0.encoded() }))
        #expect(answer.refusal == nil && answer.acknowledgements.allSatisfy { $0.rejection == nil })
        // An upload that has not ended, and a replica that has read all.
        let rest = SavePart(digest: Digest(of: [5]), byteCount: 100)
        _ = try zone.stage(StageRequest(part: rest, start: 0, bytes: [1, 2, 3]))
        let page = try zone.pull(PullRequest(cursor: nil, byteLimit: 1 << 20))
        _ = try zone.hello(
            HelloRequest(
                replica: other.replica, last: nil, cursor: page.cursor,
                wallMilliseconds: 1_700_000_000_000))
        try zone.flushAcknowledgements()
    }

    private static func edits(_ records: [RecordID], _ seen: Stamp) -> [ChangeBlock] {
        [
            .write(
                SiblingBlock(
                    entity: "Person", property: notes,
                    writes: [.init(record: records[3], value: .string("a"), observedTags: [])])),
            .yieldingDelete(
                YieldingDeleteBlock(
                    entity: "Person", deletes: [.init(record: records[4], stampsSeen: [seen])])),
        ]
    }

    /// Sends every kind of request. A trap ends the test's process.
    ///
    /// - Returns: The errors.
    func run(_ zone: ZoneService) -> [String: ProtocolError] {
        let replica = records[0].replica
        var errors: [String: ProtocolError] = [:]
        func attempt(_ name: String, _ request: () throws(ProtocolError) -> Void) {
            do throws(ProtocolError) { try request() } catch { errors[name] = error }
        }
        attempt("hello") { () throws(ProtocolError) in
            _ = try zone.hello(
                HelloRequest(
                    replica: replica, last: nil, cursor: nil, wallMilliseconds: 1_700_000_000_000))
        }
        attempt("pull") { () throws(ProtocolError) in
            _ = try zone.pull(PullRequest(cursor: nil, byteLimit: 1 << 20))
        }
        attempt("checksums") { () throws(ProtocolError) in
            _ = try zone.checksums(ChecksumsRequest(epoch: epoch, ranges: [.all]))
        }
        attempt("repair") { () throws(ProtocolError) in
            _ = try zone.repair(RepairRequest(epoch: epoch, records: records))
        }
        attempt("part") { () throws(ProtocolError) in
            _ = try zone.part(PartRequest(part: part, start: 0, byteLimit: 1 << 20))
        }
        attempt("hash") { () throws(ProtocolError) in _ = try zone.canonicalHash() }
        attempt("snapshot") { () throws(ProtocolError) in
            _ = try zone.snapshot(SnapshotRequest(snapshot: nil, number: 0))
        }
        attempt("amounts") { () throws(ProtocolError) in _ = try zone.amounts() }
        attempt("stage") { () throws(ProtocolError) in
            let rest = SavePart(digest: Digest(of: [5]), byteCount: 100)
            _ = try zone.stage(StageRequest(part: rest, start: 3, bytes: [1, 2, 3]))
        }
        attempt("push") { () throws(ProtocolError) in
            _ = try zone.push(PushRequest(epoch: epoch, changeSets: [later.encoded()]))
        }
        attempt("forget") { () throws(ProtocolError) in
            _ = try zone.forget(TestAuthor(2).replica)
        }
        attempt("compact") { () throws(ProtocolError) in _ = try zone.compact(keeping: 2) }
        attempt("verify") { () throws(ProtocolError) in _ = try zone.verify(repairing: true) }
        return errors
    }
}
