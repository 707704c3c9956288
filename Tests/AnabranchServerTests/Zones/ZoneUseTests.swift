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
            #expect(try reader.counts().records == Int64(records))
            return [Int64(bytes), Int64(records), try reader.counts().replicas]
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

    @Test func `a file of format 5 is counted when it is opened`() throws {
        let directory = try TemporaryDirectory("format")
        let path = directory.file("zone.sqlite")
        let open = {
            try SQLiteZoneStorage(path: path, creating: true) { EpochID(high: 1, low: 1) }
        }
        let storage = try open()
        let zone = ZoneService(
            name: try ZoneName("test"), storage: storage, wallMilliseconds: { 4_000_000_000_000 })
        let history = try RandomHistory(seed: 3, rules: .all)
        _ = try zone.push(
            PushRequest(
                epoch: try zone.head().epoch, changeSets: history.changeSets.map { $0.encoded() }))
        let before = try storage.read { try $0.use() }
        #expect(before.bytes > 0 && before.records > 0)
        zone.close()
        let connection = try Connection(path: path)
        for column in [
            "bytes", "records", "day", "day_bytes", "quota_bytes", "quota_records",
            "quota_replicas", "quota_daily_bytes",
        ] {
            try connection.execute("ALTER TABLE zone DROP COLUMN \(column)")
        }
        try connection.execute("ALTER TABLE acknowledgement DROP COLUMN seen")
        try connection.execute("PRAGMA user_version = 5")
        connection.close()
        let after = try open()
        let use = try after.read { try $0.use() }
        #expect([use.bytes, use.records] == [before.bytes, before.records])
        after.close()
    }

    @Test(.needsPostgreSQL) func `rows of an earlier version are counted at first use`() throws {
        let place = try PostgreSQLPlace()
        let zone = ZoneService(
            name: try ZoneName("test"), storage: try place.open(),
            wallMilliseconds: { 1_700_000_000_000 })
        var author = TestAuthor(1)
        _ = try zone.push(
            PushRequest(
                epoch: try zone.head().epoch, changeSets: [author.insertPerson().0.encoded()]))
        let before = try zone.storage.read { try $0.use() }
        try place.pool.withSession { session in
            _ = try session.run(
                PostgreSQLStatement(
                    "UPDATE anabranch.zone SET bytes = NULL, records = NULL WHERE zone = $1",
                    .text(place.zone), changing: 1))
        }
        #expect(try zone.storage.read { try $0.use() } == before)
        zone.close()
    }
}
