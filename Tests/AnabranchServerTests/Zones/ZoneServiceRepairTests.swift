import AnabranchProtocol
import AnabranchReplication
import TestSupport
import Testing

@testable import AnabranchServer

@Suite struct ZoneServiceRepairTests {
    @Test(arguments: StorageKind.allCases, TestLength.seeds(20))
    func `images are what the reference merge has of every record, held or not`(
        kind: StorageKind, seed: UInt64
    ) throws {
        let history = try RandomHistory(seed: seed)
        var reference = ReferenceMerge()
        for changeSet in history.changeSets { try reference.apply(changeSet) }
        let zone = try TestZone(kind)
        try zone.push(history, seed: seed &+ 1)
        let mentioned = try history.changeSets.flatMap { set in
            try set.decodedPayload().blocks.flatMap(\.touchedRecords)
        }
        let records = Array(Set(mentioned)).sorted()
        let response = try zone.repair(records)
        #expect(response.position == UInt64(history.changeSets.count))
        for image in response.images {
            var image = image
            image.incoming.sort { ($0.left, $0.property) < ($1.left, $1.property) }
            let expected = reference.image(of: image.id)
            #expect(image.record?.encoded() == expected.record?.encoded())
            #expect(image.incoming == expected.incoming)
        }
        #expect(response.images.map(\.id) == records)
    }

    @Test func `an answer holds as many records as a page, and one at least`() throws {
        var limits = ZoneLimits()
        limits.pageBytes = 1
        let zone = try TestZone(.sqlite, limits: limits)
        var author = TestAuthor(1)
        let people = (0..<3).map { _ in author.insertPerson() }
        _ = try zone.push(people.map(\.0))
        #expect(try zone.repair(people.map(\.1)).images.map(\.id) == [people[0].1])
        #expect(try zone.repair([]).images.isEmpty)
    }

    @Test func `another epoch and too many records are refused`() throws {
        let zone = try TestZone(.sqlite)
        let record = RecordID(replica: ReplicaID(high: 1, low: 1), number: 1)
        let epoch = #expect(throws: ProtocolError.self) {
            try zone.service.repair(
                RepairRequest(epoch: EpochID(high: 3, low: 3), records: [record]))
        }
        #expect(epoch?.code == .unknownEpoch)
        let count = #expect(throws: ProtocolError.self) {
            try zone.repair(Array(repeating: record, count: SyncProtocol.maximumRepairs + 1))
        }
        #expect(count?.code == .malformedRequest)
        #expect(count?.details["limit"] == "\(SyncProtocol.maximumRepairs)")
    }
}

extension TestZone {
    func repair(_ records: [RecordID]) throws -> RepairResponse {
        try service.repair(RepairRequest(epoch: service.head().epoch, records: records))
    }
}
