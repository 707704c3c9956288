import AnabranchProtocol
import AnabranchReplication
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AnabranchServer

/// Tests of what a zone accepts within its quotas.
@Suite struct ZoneQuotaTests {
    private func zone(
        _ kind: StorageKind, _ limits: [ZoneQuotas.Quantity: Int64],
        clock: @escaping @Sendable () -> Int64 = { 1_700_000_000_000 }
    ) throws -> TestZone {
        let zone = try TestZone(kind, clock: clock)
        try set(limits, zone)
        return zone
    }

    private func set(_ limits: [ZoneQuotas.Quantity: Int64], _ zone: TestZone) throws {
        var quotas = ZoneQuotas()
        for (quantity, limit) in limits { quotas[quantity] = .most(limit) }
        try zone.service.setQuotas(quotas)
    }

    private func used(_ zone: TestZone, _ quantity: ZoneQuotas.Quantity) throws -> Int64 {
        try #require(try zone.service.amounts()[quantity])
    }

    @Test(arguments: StorageKind.allCases)
    func `a save beyond the records is refused, and deletions make room`(
        kind: StorageKind
    ) throws {
        let zone = try zone(kind, [.records: 2])
        var author = TestAuthor(1)
        var other = TestAuthor(2)
        let (first, ada) = author.insertPerson()
        let (second, _) = other.insertPerson()
        let (third, _) = author.insertPerson()
        #expect(try zone.push(first, second).refusal == nil)
        let refused = try zone.push(third)
        #expect(refused.acknowledgements == [])
        #expect(refused.refusal?.code == .quotaExceeded)
        #expect(refused.refusal?.details["quota"] == "records")
        #expect(refused.refusal?.details["limit"] == "2")
        #expect(refused.refusal?.details["used"] == "2")
        #expect(try zone.service.head().position == 2)
        #expect(try used(zone, .records) == 2)
        // Changes and repeated pushes need no room.
        #expect(try zone.push(other.save([.rename(ada, to: "Eve")]), first).refusal == nil)
        other.observe(first)
        #expect(try zone.push(other.save([.delete(ada)])).refusal == nil)
        #expect(try used(zone, .records) == 1)
        #expect(try zone.push(third).refusal == nil)
        #expect(try used(zone, .records) == 2)
    }

    @Test(arguments: StorageKind.allCases)
    func `a deletion behind a refused save of the same push makes room`(
        kind: StorageKind
    ) throws {
        let zone = try zone(kind, [.records: 2])
        var author = TestAuthor(1)
        let (first, ada) = author.insertPerson()
        let (second, _) = author.insertPerson()
        #expect(try zone.push(first, second).refusal == nil)
        let (third, bob) = author.insertPerson()
        let (fourth, _) = author.insertPerson()
        let waiting = [third, fourth]
        #expect(try zone.push(waiting).refusal?.code == .quotaExceeded)
        // One deletion is not enough for two records.
        let deletion = author.save([.delete(ada)])
        let refused = try zone.push(waiting + [deletion])
        #expect(refused.acknowledgements == [] && refused.refusal?.code == .quotaExceeded)
        #expect(try used(zone, .records) == 2)
        let second2 = author.save([.delete(bob)])
        let (last, _) = author.insertPerson()
        let taken = try zone.push(waiting + [deletion, second2, last])
        #expect(taken.acknowledgements.map(\.position) == [3, 4, 5, 6])
        #expect(taken.refusal?.code == .quotaExceeded)
        #expect(try used(zone, .records) == 2)
        #expect(try zone.service.verify().isValid)
    }

    @Test(arguments: StorageKind.allCases)
    func `a save beyond the bytes is refused, but not a deletion`(kind: StorageKind) throws {
        let zone = try zone(kind, [:])
        var author = TestAuthor(1)
        let (first, ada) = author.insertPerson()
        #expect(try zone.push(first).refusal == nil)
        let held = try used(zone, .bytes)
        #expect(held > Int64(first.encoded().count))
        try set([.bytes: held], zone)
        var other = TestAuthor(2)
        let (second, _) = other.insertPerson()
        #expect(try zone.push(second).refusal?.details["quota"] == "bytes")
        #expect(try used(zone, .bytes) == held)
        let part = SavePart(of: [1, 2, 3])
        let error = #expect(throws: ProtocolError.self) {
            try zone.service.stage(StageRequest(part: part, start: 0, bytes: [1, 2, 3]))
        }
        #expect(error?.code == .quotaExceeded)
        #expect(try zone.storage.read { try $0.heldBytes(of: part) } == 0)
        #expect(try zone.push(author.save([.delete(ada)])).refusal == nil)
        // The log still has the deleted record until it is compacted.
        #expect(try zone.push(second).refusal?.details["quota"] == "bytes")
        _ = try zone.service.compact(keeping: 0)
        #expect(try zone.push(second).refusal == nil)
    }

    @Test(arguments: StorageKind.allCases)
    func `a new replica beyond the replicas is refused`(kind: StorageKind) throws {
        let zone = try zone(kind, [.replicas: 1])
        var author = TestAuthor(1)
        var other = TestAuthor(2)
        let (first, ada) = author.insertPerson()
        #expect(try zone.push(first).refusal == nil)
        let second = other.insertPerson().0
        #expect(try zone.push(second).refusal?.details["quota"] == "replicas")
        #expect(try zone.push(author.save([.delete(ada)])).refusal == nil)
        try set([.replicas: 2], zone)
        #expect(try zone.push(second).refusal == nil)
    }

    @Test(arguments: StorageKind.allCases)
    func `the bytes of a day are counted from midnight`(kind: StorageKind) throws {
        let now = Mutex<Int64>(1_700_000_000_000)
        let clock = { @Sendable in now.withLock { $0 } }
        let zone = try zone(kind, [:], clock: clock)
        var author = TestAuthor(1)
        let sets = (0..<3).map { _ in author.insertPerson().0 }
        let size = Int64(sets[0].encoded().count)
        try set([.dailyBytes: size + size / 2], zone)
        #expect(try zone.push(sets[0]).refusal == nil)
        let refusal = try zone.push(sets[1]).refusal
        #expect(refusal?.details["quota"] == "daily-bytes")
        #expect(refusal?.details["until"] == "2023-11-15T00:00:00Z")
        #expect(refusal?.details["used"] == "\(size)")
        // A repeated push is not counted again.
        #expect(try zone.push(sets[0]).refusal == nil)
        #expect(try used(zone, .dailyBytes) == size)
        now.withLock { $0 = 1_700_006_400_000 }
        #expect(try used(zone, .dailyBytes) == 0)
        #expect(try zone.push(sets[1]).refusal == nil)
        #expect(try zone.push(sets[2]).refusal?.details["until"] == "2023-11-16T00:00:00Z")
    }

    @Test(arguments: StorageKind.allCases)
    func `the server's default holds for a zone without a quota of its own`(
        kind: StorageKind
    ) throws {
        var limits = ZoneLimits()
        limits.quotas[.records] = .most(1)
        let zone = try TestZone(kind, limits: limits)
        var author = TestAuthor(1)
        let sets = (0..<3).map { _ in author.insertPerson().0 }
        #expect(try zone.push(sets[0], sets[1]).refusal?.code == .quotaExceeded)
        let told = try zone.service.hello(
            HelloRequest(
                replica: author.replica, last: nil, cursor: nil, wallMilliseconds: 0))
        #expect(told.quotas == [QuotaUse(name: "records", limit: 1, used: 1)])
        #expect(try zone.service.information().quotas.map(\.quota) == ["records"])
        var own = ZoneQuotas()
        own[.records] = .unlimited
        try zone.service.setQuotas(own)
        #expect(try zone.push(sets[1]).refusal == nil)
        try zone.reopen()
        #expect(try zone.service.quotas() == own)
        #expect(try zone.push(sets[2]).refusal == nil)
    }

    /// Pushes entries of a growing author until one is refused.
    ///
    /// - Returns: The refusal, and the greatest number of used bytes until then.
    private func pushUntilRefused(
        _ zone: TestZone, most count: Int = 600, _ next: (inout TestAuthor) -> ChangeSet
    ) throws -> (refusal: ProtocolError?, used: Int64) {
        var author = TestAuthor(3)
        for _ in 0..<count {
            let refusal = try zone.push(next(&author)).refusal
            if let refusal { return (refusal, try used(zone, .bytes)) }
        }
        return (nil, try used(zone, .bytes))
    }

    private static let reason = String(repeating: "r", count: 1000)

    @Test(arguments: StorageKind.allCases)
    func `voids that a client pushes need room as saves do`(kind: StorageKind) throws {
        let zone = try zone(kind, [.bytes: 20_000])
        let (refusal, used) = try pushUntilRefused(zone, most: 50) {
            ChangeSet(voiding: $0.insertPerson().0, for: SaveRejection(.malformed, Self.reason))
        }
        #expect(refusal?.details["quota"] == "bytes" && used <= 20_000)
    }

    @Test(arguments: StorageKind.allCases)
    func `entries of lost change sets that a client pushes need room`(kind: StorageKind) throws {
        let zone = try zone(kind, [.bytes: 2000])
        var sequence: UInt64 = 0
        let (refusal, used) = try pushUntilRefused(zone, most: 100) { author in
            sequence += 1
            return ChangeSet(lost: Dot(replica: author.replica, sequence: sequence))
        }
        #expect(refusal?.details["quota"] == "bytes" && used <= 2000)
    }

    @Test(arguments: StorageKind.allCases)
    func `what clients push without content counts for a day`(kind: StorageKind) throws {
        let zone = try zone(kind, [.dailyBytes: 20_000])
        let (refusal, _) = try pushUntilRefused(zone, most: 50) {
            ChangeSet(voiding: $0.insertPerson().0, for: SaveRejection(.malformed, Self.reason))
        }
        #expect(refusal?.details["quota"] == "daily-bytes")
        #expect(try used(zone, .dailyBytes) <= 20_000)
    }

    @Test(arguments: StorageKind.allCases)
    func `the voids that a zone makes exceed its quota by a bounded amount`(
        kind: StorageKind
    ) throws {
        let zone = try zone(kind, [.bytes: 1000])
        let (refusal, used) = try pushUntilRefused(zone) { $0.save(payload: [0xFF, 0xFF]) }
        #expect(refusal?.details["quota"] == "bytes")
        #expect((2000...1000 + QuotaCheck.leastMargin).contains(used))
    }

    @Test(arguments: StorageKind.allCases)
    func `saves that only delete exceed a quota by a bounded amount`(kind: StorageKind) throws {
        let zone = try zone(kind, [.bytes: 1000])
        let (refusal, used) = try pushUntilRefused(zone) { author in
            author.save([
                .delete(
                    RecordBlock(
                        entity: "Person",
                        records: (0..<100).map { _ in
                            author.newRecord()
                        }))
            ])
        }
        #expect(refusal?.details["quota"] == "bytes")
        #expect((2000...1000 + QuotaCheck.leastMargin).contains(used))
    }

    /// Inserts records and deletes them so that an update could still win.
    ///
    /// - Returns: The size of the save that deletes.
    private func pushDeadRecords(
        _ count: Int, to zone: TestZone, of author: inout TestAuthor
    ) throws -> Int {
        let (insert, records) = author.insertPeople(count)
        let deletes = records.map {
            YieldingDeleteBlock.Delete(record: $0, stampsSeen: [insert.stamp])
        }
        let delete = author.save([
            .yieldingDelete(YieldingDeleteBlock(entity: "Person", deletes: deletes))
        ])
        #expect(try zone.push(insert, delete).refusal == nil)
        return delete.encoded().count
    }

    @Test(arguments: StorageKind.allCases)
    func `the entries that a compaction makes need no quota, and dead records bound them`(
        kind: StorageKind
    ) throws {
        let zone = try zone(kind, [:])
        var author = TestAuthor(1)
        let size = try pushDeadRecords(2500, to: zone, of: &author)
        let before = try zone.service.amounts()
        try set(before, zone)
        #expect(try zone.push(author.insertPerson().0).refusal?.code == .quotaExceeded)
        #expect(try zone.service.compact(keeping: 0).finalDeleteCount == 2500)
        // Each thousand dead records cost one entry, and all of these less than the save that
        // deleted the records.
        let start = try zone.storage.read { try $0.cursor(at: 2) }
        let made = try zone.pullAll(after: start).sets
        #expect(made.map(\.author) == ["horizon", "horizon", "horizon"])
        #expect(made.reduce(0) { $0 + $1.encoded().count } < size)
        let after = try zone.service.amounts()
        #expect(try used(zone, .bytes) < #require(before[.bytes]))
        #expect(after[.records] == 0 && after[.dailyBytes] == before[.dailyBytes])
        // The zone itself is one replica, however often it is compacted.
        #expect(after[.replicas] == 2)
        #expect(try zone.service.compact(keeping: 0).finalDeleteCount == 0)
        #expect(try zone.service.head().position == 5)
        #expect(try used(zone, .replicas) == 2)
    }

    @Test(arguments: StorageKind.allCases)
    func `a deletion behind a void makes room for it`(kind: StorageKind) throws {
        let zone = try zone(kind, [:])
        var author = TestAuthor(1)
        let (first, ada) = author.insertPerson(String(repeating: "x", count: 5000))
        #expect(try zone.push(first).refusal == nil)
        try set([.bytes: try used(zone, .bytes)], zone)
        let void = ChangeSet(
            voiding: author.insertPerson().0, for: SaveRejection(.malformed, Self.reason))
        #expect(try zone.push(void).refusal?.details["quota"] == "bytes")
        let deletion = author.save([.delete(ada)])
        #expect(try zone.push(void, deletion).acknowledgements.map(\.position) == [2, 3])
    }
}
