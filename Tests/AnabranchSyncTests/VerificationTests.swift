import AnabranchModel
import AnabranchProtocol
import AnabranchReplication
import AnabranchSQLite
import AnabranchServer
import AnabranchStore
import Foundation
import TestSupport
import Testing

@testable import AnabranchSync

/// Tests of stores that are compared with zones and repaired.
struct VerificationTests {
    /// Returns a zone and a store with the same several hundred people.
    private static func filled(
        _ count: Int = 600, limits: ZoneLimits = ZoneLimits()
    ) async throws -> (scenario: EngineScenario, store: Store) {
        let scenario = try EngineScenario(limits: limits)
        let author = try scenario.open("author.db")
        let names = scenario.names
        for start in stride(from: 0, to: count, by: 50) {
            try author.insert((start..<min(start + 50, count)).map { "person \($0)" }, names)
        }
        try await scenario.engine(author).synchronize()
        author.close()
        let store = try scenario.open("a.db")
        try await scenario.engine(store).synchronize()
        try scenario.expectConverged([store])
        return (scenario, store)
    }

    private static func damage(_ scenario: EngineScenario, _ sql: String...) throws {
        let connection = try Connection(path: scenario.folder.file("a.db"))
        defer { connection.close() }
        for sql in sql {
            try connection.execute(sql)
            #expect(connection.changes > 0, "\(sql)")
        }
    }

    private static func requests(_ transport: MemoryTransport, _ endpoint: SyncEndpoint) -> Int {
        transport.requests.count { $0.endpoint == endpoint }
    }

    @Test func `equal sides are confirmed by one request for checksums`() async throws {
        let (scenario, store) = try await Self.filled()
        let transport = scenario.transport()
        let found = try await scenario.engine(store, transport).verify()
        #expect(found.result == .equal && found.position == 12)
        #expect(found.checksum.recordCount == 600 && found.differenceCount == 0)
        #expect(try found.checksum == store.checksum())
        #expect(Self.requests(transport, .checksums) == 1)
    }

    @Test func `an empty zone and a new store are equal`() async throws {
        let scenario = try EngineScenario()
        let found = try await scenario.engine(scenario.open("a.db")).verify(repairing: true)
        #expect(found.result == .equal && found.checksum == .zero)
    }

    /// Damages to rows. Only the rows with the greatest keys are far from the other rows.
    private static let damages: [(String, RecordDifference.Kind)] = [
        ("UPDATE Person SET age = age + 1 WHERE name = 'person 77'", .changed),
        ("UPDATE Person SET name = 'persoo 77' WHERE name = 'person 77'", .changed),
        ("UPDATE Person SET name = NULL WHERE name = 'person 77'", .changed),
        ("DELETE FROM Person WHERE name = 'person 77'", .missing),
        ("UPDATE Person SET ab_writes = x'FFFFFFFFFF' WHERE name = 'person 77'", .changed),
        ("UPDATE Person SET ab_version = 3, ab_writes = NULL WHERE name = 'person 77'", .changed),
        (
            "INSERT INTO Person (ab_pk, ab_version, ab_writes, name, age) SELECT ab_pk + 5000, "
                + "ab_version, ab_writes, 'nobody', age FROM Person WHERE name = 'person 77'",
            .extra
        ),
    ]

    @Test(arguments: Self.damages.indices)
    func `one damaged record is found, reported and repaired by a few requests`(
        number: Int
    ) async throws {
        let (sql, kind) = Self.damages[number]
        let (scenario, store) = try await Self.filled()
        try Self.damage(scenario, sql)
        let looking = scenario.transport()
        let found = try await scenario.engine(store, looking).verify()
        #expect(found.result == .differing && found.differenceCount == 1)
        #expect(found.differences.map(\.kind) == [kind])
        #expect(Self.requests(looking, .checksums) == 3)
        #expect(Self.requests(looking, .repair) == 0)
        #expect(throws: (any Error).self) { try scenario.expectEqual(store) }

        let repairing = scenario.transport()
        let repaired = try await scenario.engine(store, repairing).verify(repairing: true)
        #expect(repaired.result == .repaired && repaired.differences == found.differences)
        #expect(Self.requests(repairing, .checksums) == 4)
        #expect(Self.requests(repairing, .repair) == 1)
        try scenario.expectConverged([store])
        #expect(try await scenario.engine(store).verify().result == .equal)
        #expect(try store.recordsToRepair(limit: 1).isEmpty)
    }

    @Test func `a record that no answer holds is repaired by a snapshot`() async throws {
        var limits = ZoneLimits()
        (limits.chunkBytes, limits.pageBytes, limits.bodyBytes) = (300, 2000, 50_000)
        let (scenario, store) = try await Self.filled(20, limits: limits)
        let other = try scenario.open("other.db", partBytes: 1000)
        try other.insert(String(repeating: "long ", count: 15_000), scenario.names)
        for store in [other, store] { try await scenario.engine(store).synchronize() }
        try Self.damage(
            scenario, "UPDATE Person SET age = 5 WHERE name LIKE 'long%'",
            "UPDATE Person SET age = 6 WHERE name = 'person 7'")
        let transport = scenario.transport()
        let found = try await scenario.engine(store, transport).verify(repairing: true)
        #expect(found.result == .repaired && found.differenceCount == 2)
        #expect(Self.requests(transport, .snapshot) > 50)
        try scenario.expectConverged([store])
        #expect(try store.recordsToRepair(limit: 1).isEmpty && !store.syncState().wantsSnapshot)
    }

    @Test func `values that a repair removes are in the journal`() async throws {
        let (scenario, store) = try await Self.filled(60)
        try Self.damage(
            scenario, "UPDATE Person SET age = 99 WHERE name = 'person 7'",
            "INSERT INTO Person (ab_pk, ab_version, ab_writes, name, age) SELECT ab_pk + 5000, "
                + "ab_version, ab_writes, 'nobody', 5 FROM Person WHERE name = 'person 7'")
        #expect(try store.conflicts().isEmpty)
        _ = try await scenario.engine(store).verify(repairing: true)
        let lost = try store.conflicts()
        #expect(lost.allSatisfy { $0.kind == .replacedByRepair })
        #expect(
            Set(lost.map(\.value)) == [.integer(99), .integer(5), .string("nobody")])
        let age = try #require(lost.first { $0.value == .integer(99) })
        #expect(age.winningValue == .integer(0) && age.winner != nil)
        // Other repairs are recorded as before: only those of a verification are reported.
        #expect(try store.metadata("verification.debts") == nil)
    }

    @Test func `a repair that was interrupted continues, and still reports what it removes`()
        async throws
    {
        let (scenario, store) = try await Self.filled(60)
        try Self.damage(scenario, "UPDATE Person SET age = 99 WHERE name = 'person 7'")
        let transport = scenario.transport()
        transport.refuse(.repair, with: ProtocolError(.forbidden, "Not now."))
        await #expect(throws: SyncError.self) {
            try await scenario.engine(store, transport).verify(repairing: true)
        }
        #expect(try store.recordsToRepair(limit: 10).count == 1)
        try await scenario.engine(store).synchronize()
        try scenario.expectConverged([store])
        #expect(try store.conflicts().map(\.value) == [.integer(99)])
    }

    @Test func `unpushed saves survive a repair of their record`() async throws {
        let (scenario, store) = try await Self.filled(60)
        try Self.damage(scenario, "UPDATE Person SET age = 99 WHERE name = 'person 7'")
        try store.rename("person 7", to: "renamed", scenario.names)
        let found = try await scenario.engine(store).verify(repairing: true)
        #expect(found.result == .repaired)
        let row = try #require(try store.row("renamed", scenario.names))
        #expect(row.slots[scenario.names.age] == .integer(0))
        try scenario.expectConverged([store])
    }

    @Test func `rows that no record can be named by are removed`() async throws {
        let (scenario, store) = try await Self.filled(60)
        try Self.damage(
            scenario,
            "UPDATE Person SET ab_pk = ab_pk + (1 << 50) WHERE name = 'person 7'")
        let found = try await scenario.engine(store).verify()
        #expect(found.result == .differing && found.strayRowCount == 1)
        #expect(found.differences.map(\.kind) == [.missing])
        #expect(try await scenario.engine(store).verify(repairing: true).result == .repaired)
        #expect(try store.people(scenario.names).count == 60)
        try scenario.expectConverged([store])
    }

    @Test func `a store that lost everything is filled again in bounded steps`() async throws {
        var limits = ZoneLimits()
        (limits.ranges.listed, limits.ranges.steps) = (16, 128)
        let (scenario, store) = try await Self.filled(limits: limits)
        try Self.damage(scenario, "DELETE FROM Person")
        let transport = scenario.transport()
        let found = try await scenario.engine(store, transport).verify(repairing: true)
        #expect(found.result == .repaired && found.differenceCount == 600)
        #expect(Self.requests(transport, .checksums) < 60)
        try scenario.expectConverged([store])
        #expect(try store.people(scenario.names).count == 600)
    }

    @Test func `saves that come now and then are taken along`() async throws {
        let (scenario, store) = try await Self.filled(60)
        try Self.damage(scenario, "UPDATE Person SET age = 99 WHERE name = 'person 7'")
        let other = try scenario.open("other.db")
        let transport = InterferingTransport(scenario.transport()) { number in
            guard number % 3 == 0 else { return }
            try other.insert("other \(number)", scenario.names)
            try await scenario.engine(other).synchronize()
            if number % 2 == 0 { try store.insert("own \(number)", scenario.names) }
        }
        let found = try await scenario.engine(over: transport, store).verify(repairing: true)
        #expect(found.result == .repaired && found.differenceCount == 1)
        try await scenario.engine(store).synchronize()
        #expect(try await scenario.engine(store).verify().result == .equal)
    }

    @Test func `saves that never pause end the comparison`() async throws {
        let (scenario, store) = try await Self.filled(60)
        let other = try scenario.open("other.db")
        let transport = InterferingTransport(scenario.transport()) { number in
            try other.insert("other \(number)", scenario.names)
            try await scenario.engine(other).synchronize()
        }
        let found = try await scenario.engine(over: transport, store).verify(repairing: true)
        #expect(found.result == .inconclusive(.busy))
        #expect(transport.count < 60)
    }

    @Test func `a zone that is not there, or takes no saves, decides nothing`() async throws {
        let (scenario, store) = try await Self.filled(60)
        let transport = scenario.transport()
        transport.cut(atRequest: 1)
        await #expect(throws: SyncError.self) {
            try await scenario.engine(store, transport).verify(repairing: true)
        }
        try store.insert("one more", scenario.names)
        let deaf = scenario.transport()
        deaf.refuse(.push, with: ProtocolError(.forbidden, "Only read."))
        let found = try await scenario.engine(store, deaf).verify()
        #expect(found.result == .inconclusive(.blocked) && found.outcome.blockedBy != nil)
    }

    @Test func `a zone with a wrong checksum is distinguished from a store that differs`()
        async throws
    {
        let (scenario, store) = try await Self.filled(60)
        let connection = try Connection(path: scenario.folder.file("zone.db"))
        try connection.execute("UPDATE zone SET checksum = zeroblob(40)")
        connection.close()
        let found = try await scenario.engine(store).verify(repairing: true)
        #expect(found.result == .inconclusive(.zoneInconsistent) && found.differenceCount == 0)
    }

    @Test(arguments: TestLength.seeds(16))
    func `random damage on a bad way is repaired`(seed: UInt64) async throws {
        var limits = ZoneLimits()
        (limits.ranges.listed, limits.ranges.parts) = (4, 3)
        let (scenario, store) = try await Self.filled(120, limits: limits)
        var generator = SeededGenerator(seed: seed)
        let connection = try Connection(path: scenario.folder.file("a.db"))
        for _ in 0..<Int.random(in: 1...12, using: &generator) {
            let name = "person \(Int.random(in: 0..<120, using: &generator))"
            let sql =
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: "DELETE FROM Person WHERE name = '\(name)'"
                case 1: "UPDATE Person SET age = age + 1 WHERE name = '\(name)'"
                case 2: "UPDATE Person SET ab_writes = x'07' WHERE name = '\(name)'"
                default:
                    "INSERT OR IGNORE INTO Person (ab_pk, ab_version, ab_writes, name) SELECT ab_pk"
                        + " + 700, ab_version, ab_writes, 'twin' FROM Person WHERE name = '\(name)'"
                }
            try connection.execute(sql)
        }
        connection.close()
        if generator.oneIn(2) { try store.insert("new", scenario.names) }
        let transport = scenario.transport(seed: seed, faults: .all(oneIn: 12))
        var result: ZoneComparison.Result?
        for _ in 0..<20 where result == nil {
            result = try? await scenario.engine(store, transport).verify(repairing: true).result
        }
        #expect(result == .repaired || result == .equal)
        try scenario.expectConverged([store])
    }

    @Test func `a file that SQLite finds damaged is reported and not compared`() async throws {
        let (scenario, store) = try await Self.filled(60)
        let connection = try Connection(path: scenario.folder.file("a.db"))
        try connection.execute("CREATE INDEX spoiled ON Person(name)")
        connection.close()
        store.close()
        try spoilIndex("spoiled", ofFileAt: scenario.folder.file("a.db"))
        let again = try scenario.open("a.db")
        let error = await #expect(throws: SyncError.self) {
            try await scenario.engine(again).verify(repairing: true)
        }
        #expect(error?.code == .storeFailed)
        #expect((error?.underlying as? StoreError)?.code == .corrupt)
    }
}

/// Runs a closure before each request, as a concurrent save does.
private final class InterferingTransport: Transport {
    private let transport: MemoryTransport
    private let interfere: @Sendable (Int) async throws -> Void

    init(_ transport: MemoryTransport, _ interfere: @escaping @Sendable (Int) async throws -> Void)
    {
        self.transport = transport
        self.interfere = interfere
    }

    var count: Int { transport.requests.count }

    func send(_ endpoint: SyncEndpoint, body: [UInt8]) async throws -> TransportReply {
        let reply = try await transport.send(endpoint, body: body)
        try await interfere(transport.requests.count)
        return reply
    }

    func events() -> AsyncThrowingStream<ZoneEvent, any Error> { transport.events() }
}

extension EngineScenario {
    fileprivate func engine(over transport: any Transport, _ store: Store) throws -> SyncEngine {
        let server = try #require(URL(string: "https://sync.example/"))
        return try SyncEngine(
            side: StoreExecutor(store),
            address: ServerAddress(
                server: server, zone: "family", token: "secret", allowingPlainHTTP: false),
            transport: transport)
    }

    fileprivate func expectEqual(_ store: Store) throws {
        guard try store.canonicalHash() == zone.canonicalHash().hash else { throw Different() }
    }

    private struct Different: Error {}
}

extension Store {
    fileprivate func insert(_ names: [String], _ model: SmallModel) throws {
        let first = try reserveNumbers(names.count).lowerBound
        var request = SaveRequest(author: "app")
        request.inserts = [
            .init(
                entity: model.person,
                rows: names.enumerated().map { index, name in
                    var slots = [PropertyValue](repeating: .null, count: model.person.slots.count)
                    slots[model.name] = .string(name)
                    slots[model.age] = .integer(0)
                    return (first + Int64(index), slots)
                })
        ]
        _ = try save(request)
    }

    fileprivate func rename(_ name: String, to new: String, _ names: SmallModel) throws {
        let row = try #require(try row(name, names))
        var slots = row.slots
        slots[names.name] = .string(new)
        var request = SaveRequest(author: "app")
        request.updates = [
            .init(entity: names.person, slots: [names.name], rows: [(row.id, row.version, slots)])
        ]
        _ = try save(request)
    }
}
