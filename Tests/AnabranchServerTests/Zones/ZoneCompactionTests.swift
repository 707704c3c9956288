import AnabranchProtocol
import AnabranchReplication
import TestSupport
import Testing

@testable import AnabranchServer

@Suite struct ZoneCompactionTests {
    private func yielding(_ record: RecordID, seeing stamps: [Stamp]) -> ChangeBlock {
        .yieldingDelete(
            YieldingDeleteBlock(
                entity: "Person", deletes: [.init(record: record, stampsSeen: stamps)]))
    }

    @Test func `the sets go, their names stay`() throws {
        let zone = try TestZone(.sqlite)
        var author = TestAuthor(1)
        let sets = (0..<20).map { author.insertPerson("person \($0)").0 }
        for set in sets { _ = try zone.push(set) }
        let hash = try zone.service.canonicalHash().hash
        let done = try zone.service.compact(keeping: 4)
        #expect(done.startPosition == 16 && done.forgottenCount == 16)
        let nothing = try zone.service.compact(keeping: 4)
        #expect(nothing.forgottenCount == 0)
        let after = try zone.service.canonicalHash().hash
        #expect(after == hash)
        let refusal = #expect(throws: ProtocolError.self) {
            try zone.service.pull(PullRequest(cursor: nil, byteLimit: 1 << 20))
        }
        #expect(refusal?.code == .snapshotRequired)
        #expect(refusal?.details["start"] == "16")
        // A change set that is pushed again is recognized, and a fork is reported.
        let again = try zone.push(sets[3])
        #expect(again.refusal == nil && again.acknowledgements.first?.position == 4)
        var twin = TestAuthor(1)
        let fork = try zone.push(twin.insertPerson("fork").0)
        #expect(fork.refusal?.code == .forked)
    }

    @Test func `a snapshot is the state at its place, in chunks that stay`() throws {
        let zone = try TestZone(.sqlite)
        var author = TestAuthor(1)
        for person in 0..<10 { _ = try zone.push(author.insertPerson("person \(person)").0) }
        let first = try zone.service.snapshot(SnapshotRequest())
        #expect(first.snapshot.cursor.position == 10 && first.headPosition == 10)
        for person in 10..<15 { _ = try zone.push(author.insertPerson("person \(person)").0) }
        let again = try zone.service.snapshot(SnapshotRequest(snapshot: first.snapshot, number: 0))
        #expect(again.chunk == first.chunk && again.headPosition == 15)
        let chunk = try SnapshotChunk(decoding: first.chunk)
        #expect(chunk.rows.flatMap(\.block.records).count == 10)
        #expect(chunk.heads.map(\.dot.sequence) == [10])
        let refusal = #expect(throws: ProtocolError.self) {
            try zone.service.snapshot(
                SnapshotRequest(snapshot: first.snapshot, number: first.chunkCount))
        }
        #expect(refusal?.code == .unknownSnapshot)
    }

    @Test func `a delete that updates win against is final behind the horizon`() throws {
        let zone = try TestZone(.sqlite)
        var author = TestAuthor(1)
        let (insert, record) = author.insertPerson("Ada")
        let (other, living) = author.insertPerson("Bob")
        let delete = author.save([yielding(record, seeing: [insert.stamp])])
        for set in [insert, other, delete] { _ = try zone.push(set) }
        let early = try zone.service.compact(keeping: 1)
        #expect(early.finalDeleteCount == 0, "not behind it yet")
        let done = try zone.service.compact(keeping: 0)
        #expect(done.finalDeleteCount == 1)
        #expect(
            try zone.service.head().position == 4,
            "it is an entry of the log, which all replicas get")
        // An update that no author had seen is too late now.
        var late = TestAuthor(2)
        late.context = CausalContext(
            prefix: .init(epoch: try zone.service.head().epoch, position: 2), beyond: [])
        _ = try zone.push(late.save([.rename(record, to: "Ada again")]))
        try zone.service.storage.read { reader in
            let (gone, there) = (try reader.image(of: record), try reader.image(of: living))
            #expect(gone.record == nil)
            #expect(there.record != nil)
        }
    }
}
