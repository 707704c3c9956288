import AnabranchProtocol
import AnabranchReplication
import TestSupport
import Testing

@testable import AnabranchServer

/// The work of each job that reads the state of a zone grows with that state, and not faster, in
/// each direction in which clients can make the state large.
@Suite struct ShapeGrowthTests {
    /// What a zone has many of. The number is the least size that is measured.
    enum Shape: Int, CaseIterable, Sendable, CustomTestStringConvertible {
        case links = 300
        case incomingLinks = 301
        case properties = 200
        case versions = 100
        case tags = 101
        case seenStamps = 302
        case entities = 102

        var testDescription: String {
            switch self {
            case .links: "links from a record"
            case .incomingLinks: "links to a record"
            case .properties: "properties of a record"
            case .versions: "concurrent values of a property"
            case .tags: "concurrent changes of a link"
            case .seenStamps: "values that a delete has seen"
            case .entities: "entities"
            }
        }
    }

    enum Job: CaseIterable, Sendable {
        case hash, description, snapshot, checksums, repair, verification, compaction, copy
    }

    /// The shapes that as many saves have made. Each of them had to read what was there, and so
    /// does the verification, which merges them again.
    private static let madeBySaves: [Shape] = [.versions, .tags]

    private static let all = Shape.allCases.flatMap { shape in
        Job.allCases.filter { $0 != .verification || !madeBySaves.contains(shape) }
            .map { (shape, $0) }
    }

    @Test(arguments: all)
    func `the work of a job is at most proportional`(shape: Shape, job: Job) throws {
        let factor = try Growth.factor(from: shape.rawValue) { size in
            let (zone, record) = try Self.fill(shape, size)
            return { try Self.perform(job, zone.service, record) }
        }
        #expect(factor < Growth.limit)
    }

    private static func perform(_ job: Job, _ service: ZoneService, _ record: RecordID) throws {
        switch job {
        case .hash: _ = try service.canonicalHash()
        case .description: _ = try service.information()
        case .snapshot: _ = try service.snapshot(SnapshotRequest())
        case .checksums:
            _ = try service.checksums(
                ChecksumsRequest(epoch: try service.head().epoch, ranges: [.all]))
        case .repair:
            let images = try service.repair(
                RepairRequest(epoch: try service.head().epoch, records: [record])
            ).images
            #expect(images.count == 1)
        case .verification: #expect(try service.verify().isValid)
        case .compaction: _ = try service.compact(keeping: 0)
        case .copy: try service.storage.read { try $0.forEachRows { _ in } }
        }
    }

    /// A zone of a shape, and a record that has it.
    private static func fill(_ shape: Shape, _ size: Int) throws -> (TestZone, RecordID) {
        let zone = try TestZone(.sqlite)
        var author = TestAuthor(1)
        let hasManyRecords = [.links, .incomingLinks].contains(shape)
        let (insert, records) = author.insertPeople(hasManyRecords ? size + 1 : 2)
        let saves: [ChangeSet] =
            switch shape {
            case .versions, .tags:
                (0..<size).map { author.save(blocks(shape, $0..<$0 + 1, records)) }
            default: [author.save(blocks(shape, 0..<size, records))]
            }
        let answer = try zone.push([insert] + saves)
        #expect(answer.refusal == nil)
        #expect(answer.acknowledgements.allSatisfy { $0.rejection == nil })
        return (zone, records[0])
    }

    private static func blocks(
        _ shape: Shape, _ numbers: Range<Int>, _ records: [RecordID]
    ) -> [ChangeBlock] {
        let record = records[0]
        return numbers.map { number in
            switch shape {
            case .links: .befriend(record, records[number + 1])
            case .incomingLinks: .befriend(records[number + 1], record)
            case .properties:
                .update(
                    RowBlock(
                        entity: "Person", records: [record],
                        properties: [WireProperty(name: WireName("p\(number)"), type: .string)],
                        columns: [[.string("x")]]))
            case .versions:
                .write(
                    SiblingBlock(
                        entity: "Person",
                        property: WireProperty(name: "note", type: .string, rule: .keepBoth),
                        writes: [
                            .init(record: record, value: .string("\(number)"), observedTags: [])
                        ]))
            case .tags: .befriend(record, records[1])
            case .seenStamps:
                .yieldingDelete(
                    YieldingDeleteBlock(
                        entity: "Person",
                        deletes: [
                            .init(
                                record: record,
                                stampsSeen: [
                                    Stamp(
                                        timestamp: HybridTimestamp(rawValue: UInt64(number + 1)),
                                        replica: record.replica)
                                ])
                        ]))
            case .entities:
                .insert(
                    RowBlock(
                        entity: WireName("Entity\(number)"),
                        records: [
                            RecordID(replica: record.replica, number: UInt64(1 << 20 + number))
                        ],
                        properties: [], columns: []))
            }
        }
    }
}
