import AnabranchProtocol
import AnabranchReplication
import AnabranchSQLite
import Synchronization
import TestSupport
import Testing

@testable import AnabranchServer

/// Tests of a stop, which ends whatever a zone does.
@Suite struct ZoneStopTests {
    private let zone: TestZone
    private var author = TestAuthor(1)
    private let record: RecordID

    init() throws {
        zone = try TestZone(.sqlite)
        let (insert, record) = author.insertPerson()
        self.record = record
        _ = try zone.push(insert)
    }

    private func code(_ body: () throws -> Void) -> ProtocolError.Code? {
        do { try body() } catch { return (error as? ProtocolError)?.code }
        return nil
    }

    @Test func `a stop ends every job of a zone, and nothing is kept`() throws {
        var author = author
        let service = zone.service
        let head = try service.head()
        let save = author.insertPerson().0
        let part = SavePart(digest: Digest(of: [1]), byteCount: 1)
        let jobs: [(String, () throws -> Void)] = [
            (
                "hello",
                {
                    _ = try service.hello(
                        HelloRequest(
                            replica: save.dot.replica, last: nil, cursor: nil, wallMilliseconds: 0))
                }
            ),
            ("pull", { _ = try service.pull(PullRequest(cursor: nil, byteLimit: 1000)) }),
            (
                "push",
                {
                    _ = try service.push(
                        PushRequest(epoch: head.epoch, changeSets: [save.encoded()]))
                }
            ),
            (
                "repair",
                {
                    _ = try service.repair(
                        RepairRequest(epoch: head.epoch, records: [record]))
                }
            ),
            (
                "checksums",
                {
                    _ = try service.checksums(
                        ChecksumsRequest(epoch: head.epoch, ranges: [.all]))
                }
            ),
            ("snapshot", { _ = try service.snapshot(SnapshotRequest()) }),
            ("stage", { _ = try service.stage(StageRequest(part: part, start: 0, bytes: [1])) }),
            ("part", { _ = try service.part(PartRequest(part: part, start: 0, byteLimit: 1)) }),
            ("hash", { _ = try service.canonicalHash() }),
            ("description", { _ = try service.information() }),
            ("compaction", { _ = try service.compact(keeping: 0) }),
            ("verification", { _ = try service.verify(repairing: true) }),
            ("head", { _ = try service.head() }),
        ]
        zone.storage.stop.begin(allowing: .zero)
        for (name, job) in jobs { #expect(code(job) == .shuttingDown, "\(name)") }
        try zone.reopen()
        #expect(try zone.service.head() == head)
        #expect(try zone.storage.read { try $0.staged() } == StagedParts())
    }

    @Test func `a statement that runs ends when the time of a stop is over`() throws {
        let (storage, stop) = (zone.storage, zone.storage.stop)
        let endless = """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n
            """
        let reading = #expect(throws: StorageError.self) {
            try storage.read { reader in
                stop.begin(allowing: .milliseconds(20))
                _ = try #require(reader as? SQLiteZoneReader).connection.firstValue(endless)
            }
        }
        #expect(reading?.code == .closed)
    }

    @Test func `a merge ends between two groups of rows`() throws {
        var author = author
        let stop = zone.storage.stop
        let save = author.save([.rename(record, to: "Bob"), .rename(record, to: "Cleo")])
        let error = #expect(throws: StorageError.self) {
            try zone.storage.write { writer in
                try StateMerger.merge(
                    save, ZoneParts(writer.stored), into: writer,
                    proceeding: {
                        stop.begin(allowing: .zero)
                        try stop.check()
                    })
            }
        }
        #expect(error?.code == .closed)
        try zone.reopen()
        #expect(try zone.records()[0].cells.contains { $0.value == .string("Ada") })
    }

    @Test func `the lock of a zone is measured`() throws {
        let metrics = ServerMetrics()
        let transactions = ZoneTransactions(storage: zone.storage, metrics: metrics)
        try transactions.write { _ in }
        struct Failure: Error {}
        #expect(throws: Failure.self) { try transactions.write { _ in throw Failure() } }
        zone.storage.stop.begin(allowing: .zero)
        #expect(throws: StorageError.self) { try transactions.write { _ in } }
        // The last one waited, and got no lock.
        let text = metrics.registry.text()
        #expect(text.contains("anabranch_zone_lock_seconds_count 2\n"))
        #expect(text.contains("anabranch_zone_lock_wait_seconds_count 3\n"))
    }
}
