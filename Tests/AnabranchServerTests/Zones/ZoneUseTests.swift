import AnabranchProtocol
import AnabranchReplication
import AnabranchSQLite
import TestSupport
import Testing

@testable import AnabranchServer

/// Tests that the running counters are what the rows say.
@Suite struct ZoneUseTests {
    /// The amounts of a zone without staged parts, counted from its rows.
    private func counted(_ zone: TestZone) throws -> [Int64] {
        try zone.storage.read { reader in
            var bytes = 0
            var records = 0
            try reader.forEachRows { rows in
                switch rows {
                case .entities(let rows):
                    bytes += rows.reduce(0) { $0 + $1.name.string.utf8.count }
                case .properties(let rows):
                    bytes += rows.reduce(0) { $0 + $1.property.name.string.utf8.count }
                case .entries(let rows): bytes += rows.reduce(0) { $0 + $1.changeSet.count }
                case .records(let rows):
                    for each in rows {
                        bytes += each.row.cells.count + (each.row.seen?.count ?? 0)
                        records += each.dead == 0 ? 1 : 0
                    }
                case .links(let rows): bytes += rows.reduce(0) { $0 + $1.tags.count }
                case .pieces(let rows): bytes += rows.reduce(0) { $0 + $1.bytes.count }
                default: break
                }
            }
            let counts = try reader.counts()
            #expect([counts.bytes, counts.records] == [Int64(bytes), Int64(records)])
            return [Int64(bytes), Int64(records), counts.replicas]
        }
    }

    private func used(_ zone: TestZone) throws -> [Int64] {
        let use = try zone.storage.read { try $0.use() }
        return [use.bytes, use.records, use.replicas]
    }

    @Test(arguments: StorageKind.allCases, TestLength.seeds(8))
    func `the counters equal the rows after any history`(kind: StorageKind, seed: UInt64) throws {
        let zone = try TestZone(kind)
        let history = try RandomHistory(seed: seed, rules: .all)
        for changeSet in history.changeSets {
            #expect(try zone.push(changeSet).refusal == nil)
        }
        #expect(try used(zone) == counted(zone))
        _ = try zone.service.compact(keeping: 3)
        #expect(try used(zone) == counted(zone))
        let copy = try TestZone(kind)
        var quotas = ZoneQuotas()
        quotas[.bytes] = .most(7)
        quotas[.replicas] = .unlimited
        try zone.service.setQuotas(quotas)
        let copier = ZoneCopier(
            source: zone.storage, target: copy.storage, recordBytes: Limits.largestPart)
        _ = try copier.copy(replacing: false)
        #expect(try copy.storage.read { try $0.use() } == zone.storage.read { try $0.use() })
        #expect(try copy.service.quotas() == quotas)
        // Quotas are copied without a new entry of the log, too.
        quotas[.records] = .most(8)
        try zone.service.setQuotas(quotas)
        #expect(try copier.copy(replacing: false) == .unchanged)
        #expect(try copy.service.quotas() == quotas)
    }

    @Test(arguments: StorageKind.allCases)
    func `names are counted once, and not those of a refused save`(kind: StorageKind) throws {
        let zone = try TestZone(kind)
        var author = TestAuthor(1)
        func change(_ suffix: String) -> ChangeSet {
            // The zone has no such record, and keeps the name all the same.
            author.save([
                .update(
                    RowBlock(
                        entity: WireName("Entity" + suffix), records: [author.newRecord()],
                        properties: [WireProperty(name: WireName("name" + suffix), type: .bool)],
                        columns: [[.bool(true)]]))
            ])
        }
        let long = String(repeating: "x", count: 500)
        for suffix in ["", "", long] { #expect(try zone.push(change(suffix)).refusal == nil) }
        let before = try used(zone)
        #expect(try before == counted(zone))
        var quotas = ZoneQuotas()
        quotas[.bytes] = .most(before[0] + 2000)
        try zone.service.setQuotas(quotas)
        #expect(try zone.push(change(long + "y")).refusal?.code == .quotaExceeded)
        #expect(try used(zone) == before)
        #expect(try used(zone) == counted(zone))
    }

    @Test(arguments: StorageKind.allCases)
    func `parts are counted when they are staged, and uncounted when they are dropped`(
        kind: StorageKind
    ) throws {
        let zone = try TestZone(kind)
        let part = SavePart(of: [1, 2, 3])
        _ = try zone.service.stage(StageRequest(part: part, start: 0, bytes: [1, 2]))
        #expect(try used(zone)[0] == 2)
        #expect(try zone.service.amounts()[.dailyBytes] == 2)
        try zone.storage.write { try $0.dropStaged([part]) }
        #expect(try used(zone)[0] == 0)
    }
}
