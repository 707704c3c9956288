import AnabranchProtocol
import AnabranchReplication
import Testing

@testable import AnabranchServer

extension ZoneService {
    /// Calls everything that a zone can do.
    func useEverything() throws {
        var author = TestAuthor(1)
        var sets: [ChangeSet] = []
        var records: [RecordID] = []
        for _ in 0..<3 {
            let (set, record) = author.insertPerson()
            sets.append(set)
            records.append(record)
        }
        sets.append(author.save([.delete(records[0])]))
        let epoch = try head().epoch
        let pushed = try push(
            PushRequest(epoch: epoch, changeSets: sets.map { $0.encoded() }))
        #expect(pushed.refusal == nil)
        _ = try pull(PullRequest(cursor: nil, byteLimit: 1 << 20))
        _ = try repair(RepairRequest(epoch: epoch, records: records))
        _ = try snapshot(SnapshotRequest(snapshot: nil, number: 0))
        _ = try canonicalHash()
        _ = try information()
        #expect(try verify().isValid)
        _ = try stage(
            StageRequest(part: SavePart(of: [1, 2, 3]), start: 0, bytes: [1, 2, 3]))
        _ = try compact(keeping: 1)
    }
}
