import AnabranchProtocol
import AnabranchReplication
import TestSupport
import Testing

@testable import AnabranchServer

/// The work of requests that read, and of jobs that read a whole zone, grows with what they read,
/// and not faster.
@Suite struct ReadGrowthTests {
    /// A zone that was filled.
    private struct Filled {
        let zone: TestZone
        var author = TestAuthor(1)
        var records: [RecordID] = []

        var service: ZoneService { zone.service }
        var epoch: EpochID { get throws { try service.head().epoch } }

        init() throws { zone = try TestZone(.sqlite) }
    }

    private static func replicas(_ size: Int) throws -> Filled {
        let filled = try Filled()
        _ = try filled.zone.push(
            (0..<size).map { number in
                var author = TestAuthor(UInt64(number + 2))
                return author.insertPerson().0
            })
        return filled
    }

    private static func entries(_ size: Int) throws -> Filled {
        var filled = try Filled()
        let (insert, record) = filled.author.insertPerson()
        filled.records = [record]
        _ = try filled.zone.push(
            [insert] + (0..<size).map { filled.author.save([.rename(record, to: "\($0)")]) })
        return filled
    }

    private static func records(_ size: Int) throws -> Filled {
        var filled = try Filled()
        let (insert, records) = filled.author.insertPeople(size + 1)
        filled.records = records
        _ = try filled.zone.push(insert)
        return filled
    }

    private static func links(_ size: Int) throws -> Filled {
        var filled = try records(size)
        let first = filled.records[0]
        let links = filled.records.dropFirst().map { ChangeBlock.befriend($0, first) }
        _ = try filled.zone.push(filled.author.save(links))
        return filled
    }

    private static func deadRecords(_ size: Int) throws -> Filled {
        var filled = try Filled()
        let (insert, records) = filled.author.insertPeople(size + 1)
        filled.records = records
        let deletes = records.map {
            YieldingDeleteBlock.Delete(record: $0, stampsSeen: [insert.stamp])
        }
        let block = YieldingDeleteBlock(entity: "Person", deletes: deletes)
        _ = try filled.zone.push(insert, filled.author.save([.yieldingDelete(block)]))
        return filled
    }

    private static func part(_ size: Int) throws -> Filled {
        var filled = try Filled()
        let (save, parts) = filled.author.insertInParts(
            1, name: String(repeating: "n", count: size))
        let part = SavePart(of: parts[0])
        for (start, byte) in parts[0].enumerated() {
            _ = try filled.service.stage(
                StageRequest(part: part, start: UInt64(start), bytes: [byte]))
        }
        _ = try filled.zone.push(save)
        return filled
    }

    private static func reading(
        _ description: String, from size: Int,
        _ fill: @escaping @Sendable (Int) throws -> Filled,
        _ read: @escaping @Sendable (Filled) throws -> Void
    ) -> GrowingWork {
        GrowingWork(description, from: size) { size in
            let filled = try fill(size)
            return { try read(filled) }
        }
    }

    private static let readings: [GrowingWork] = [
        reading("pull of change sets", from: 200, entries) { filled in
            let page = try filled.service.pull(PullRequest(cursor: nil, byteLimit: 1 << 24))
            #expect(page.cursor.position == page.headPosition)
        },
        reading("hello to a zone of replicas", from: 100, replicas) { filled in
            _ = try filled.service.hello(
                HelloRequest(
                    replica: filled.author.replica, last: nil, cursor: nil, wallMilliseconds: 0))
        },
        reading("description of records", from: 1000, records) { filled in
            _ = try filled.service.information()
        },
        reading("description of replicas", from: 100, replicas) { filled in
            let description = try filled.service.information()
            #expect(description.replicas > 0)
        },
        reading("hash of records", from: 500, records) { filled in
            _ = try filled.service.canonicalHash()
        },
        reading("hash of a record of each replica", from: 100, replicas) { filled in
            _ = try filled.service.canonicalHash()
        },
        reading("snapshot of records", from: 500, records) { filled in
            _ = try filled.service.snapshot(SnapshotRequest())
        },
        reading("snapshot of links", from: 500, links) { filled in
            _ = try filled.service.snapshot(SnapshotRequest())
        },
        reading("checksums of records", from: 500, records, checksums),
        reading("checksums of ranges with replicas", from: 100, replicas, checksums),
        reading("repair of records", from: 50, records) { filled in
            let request = RepairRequest(epoch: try filled.epoch, records: filled.records)
            let images = try filled.service.repair(request).images
            #expect(images.count == filled.records.count)
        },
        reading("repair of a record with links", from: 250, links) { filled in
            let request = RepairRequest(epoch: try filled.epoch, records: [filled.records[0]])
            let images = try filled.service.repair(request).images
            #expect(images[0].incoming.count == filled.records.count - 1)
        },
        reading("compaction of entries", from: 200, entries) { filled in
            let done = try filled.service.compact(keeping: 0)
            #expect(done.forgottenCount > 0)
        },
        reading("compaction of dead records", from: 300, deadRecords) { filled in
            let done = try filled.service.compact(keeping: 0)
            #expect(done.finalDeleteCount == filled.records.count)
        },
        reading("verification of entries", from: 100, entries) { filled in
            let found = try filled.service.verify()
            #expect(found.isValid)
        },
        reading("verification of records", from: 300, records) { filled in
            let found = try filled.service.verify()
            #expect(found.isValid)
        },
        reading("rows of records for a copy", from: 500, records) { filled in
            try filled.service.storage.read { try $0.forEachRows { _ in } }
        },
        reading("part of a save in pieces", from: 100, part, wholePart),
    ]

    @Test(arguments: readings)
    private func `the work of a reader is at most proportional`(reading: GrowingWork) throws {
        try reading.expectProportional()
    }

    private static func checksums(_ filled: Filled) throws {
        _ = try filled.service.checksums(
            ChecksumsRequest(
                epoch: try filled.epoch, ranges: Array(repeating: .all, count: 16)))
    }

    /// Asks for each piece of the zone's one part.
    private static func wholePart(_ filled: Filled) throws {
        let page = try filled.service.pull(PullRequest(cursor: nil, byteLimit: 1 << 20))
        let part = try #require(try ChangeSet(decoding: page.changeSets[0]).parts().first)
        var start: UInt64 = 0
        while start < UInt64(part.byteCount) {
            start += UInt64(
                try filled.service.part(
                    PartRequest(part: part, start: start, byteLimit: 1 << 20)
                ).bytes.count)
        }
    }
}
