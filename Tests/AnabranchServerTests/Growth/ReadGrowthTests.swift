import AnabranchProtocol
import AnabranchReplication
import TestSupport
import Testing

@testable import AnabranchServer

/// The work of requests that read, and of jobs that read a whole zone, grows with what they read,
/// and not faster.
@Suite struct ReadGrowthTests {
    /// A request or job, and what grows in its zone. The number is the least size that is measured.
    enum Reading: Int, CaseIterable, Sendable, CustomTestStringConvertible {
        case pull = 200
        case helloOfReplicas = 100
        case descriptionOfRecords = 1000
        case hashOfRecords = 500
        case hashOfReplicas = 101
        case snapshotOfRecords = 501
        case snapshotOfLinks = 502
        case checksumsOfRecords = 503
        case checksumsOfReplicas = 102
        case repairOfRecords = 50
        case repairOfLinks = 250
        case compactionOfEntries = 201
        case compactionOfDeadRecords = 300
        case verificationOfEntries = 103
        case copyOfRecords = 504

        var testDescription: String {
            switch self {
            case .pull: "pull of change sets"
            case .helloOfReplicas: "hello to a zone of replicas"
            case .descriptionOfRecords: "description of records"
            case .hashOfRecords: "hash of records"
            case .hashOfReplicas: "hash of a record of each replica"
            case .snapshotOfRecords: "snapshot of records"
            case .snapshotOfLinks: "snapshot of links"
            case .checksumsOfRecords: "checksums of records"
            case .checksumsOfReplicas: "checksums of ranges with replicas"
            case .repairOfRecords: "repair of records"
            case .repairOfLinks: "repair of a record with links"
            case .compactionOfEntries: "compaction of entries"
            case .compactionOfDeadRecords: "compaction of dead records"
            case .verificationOfEntries: "verification of entries"
            case .copyOfRecords: "rows of records for a copy"
            }
        }
    }

    @Test(arguments: Reading.allCases)
    func `the work of a reader is at most proportional`(reading: Reading) throws {
        let factor = try Growth.factor(from: reading.rawValue) { size in
            let zone = try TestZone(.sqlite)
            let (author, records) = try Self.fill(zone, for: reading, size)
            let epoch = try zone.service.head().epoch
            return { try Self.read(reading, zone.service, author, records, epoch) }
        }
        #expect(factor < Growth.limit)
    }

    private static func fill(
        _ zone: TestZone, for reading: Reading, _ size: Int
    ) throws -> (TestAuthor, [RecordID]) {
        var author = TestAuthor(1)
        switch reading {
        case .helloOfReplicas, .hashOfReplicas, .checksumsOfReplicas:
            _ = try zone.push(
                (0..<size).map { number in
                    var author = TestAuthor(UInt64(number + 2))
                    return author.insertPerson().0
                })
            return (author, [])
        case .pull, .compactionOfEntries, .verificationOfEntries:
            let (insert, record) = author.insertPerson()
            _ = try zone.push(
                [insert] + (0..<size).map { author.save([.rename(record, to: "\($0)")]) })
            return (author, [record])
        default: break
        }
        let (insert, records) = author.insertPeople(size + 1)
        _ = try zone.push(insert)
        if reading == .snapshotOfLinks || reading == .repairOfLinks {
            _ = try zone.push(author.save(records.dropFirst().map { .befriend($0, records[0]) }))
        }
        if reading == .compactionOfDeadRecords {
            let deletes = records.map {
                YieldingDeleteBlock.Delete(record: $0, stampsSeen: [insert.stamp])
            }
            _ = try zone.push(
                author.save([
                    .yieldingDelete(YieldingDeleteBlock(entity: "Person", deletes: deletes))
                ]))
        }
        return (author, records)
    }

    private static func read(
        _ reading: Reading, _ service: ZoneService, _ author: TestAuthor, _ records: [RecordID],
        _ epoch: EpochID
    ) throws {
        switch reading {
        case .pull:
            let page = try service.pull(PullRequest(cursor: nil, byteLimit: 1 << 24))
            #expect(page.cursor.position == page.headPosition)
        case .helloOfReplicas:
            _ = try service.hello(
                HelloRequest(
                    replica: author.replica, last: nil, cursor: nil, wallMilliseconds: 0))
        case .descriptionOfRecords: _ = try service.information()
        case .hashOfRecords, .hashOfReplicas: _ = try service.canonicalHash()
        case .snapshotOfRecords, .snapshotOfLinks: _ = try service.snapshot(SnapshotRequest())
        case .checksumsOfRecords, .checksumsOfReplicas:
            _ = try service.checksums(
                ChecksumsRequest(epoch: epoch, ranges: Array(repeating: .all, count: 16)))
        case .repairOfRecords:
            let images = try service.repair(RepairRequest(epoch: epoch, records: records)).images
            #expect(images.count == records.count)
        case .repairOfLinks:
            let images = try service.repair(
                RepairRequest(epoch: epoch, records: [records[0]])
            ).images
            #expect(images[0].incoming.count == records.count - 1)
        case .compactionOfEntries:
            #expect(try service.compact(keeping: 0).forgottenCount > 0)
        case .compactionOfDeadRecords:
            #expect(try service.compact(keeping: 0).finalDeleteCount == records.count)
        case .verificationOfEntries: #expect(try service.verify().isValid)
        case .copyOfRecords: try service.storage.read { try $0.forEachRows { _ in } }
        }
    }
}
