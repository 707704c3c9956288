import AnabranchProtocol
import AnabranchReplication
import AnabranchServer
import AnabranchStore
import Foundation
import TestSupport
import Testing

@testable import AnabranchSync

struct SnapshotSyncTests {
    /// Limits for snapshots of several chunks even with few records.
    private static var limits: ZoneLimits {
        var limits = ZoneLimits()
        limits.chunkBytes = 300
        return limits
    }

    private let scenario: EngineScenario
    private var names: SmallModel { scenario.names }

    init() throws { scenario = try EngineScenario(limits: Self.limits) }

    private func sync(
        _ store: Store, _ transport: MemoryTransport? = nil
    ) async throws -> SyncOutcome {
        try await scenario.engine(store, transport).synchronize()
    }

    private func endpoints(_ transport: MemoryTransport) -> [SyncEndpoint] {
        transport.requests.map(\.endpoint)
    }

    /// Returns a store of a zone with a hundred people and only the last entries of the log.
    private func compactedZone(keeping count: UInt64 = 5) async throws -> Store {
        let a = try scenario.open("a.db")
        for person in 0..<100 { try a.insert("person \(person)", age: Int64(person), names) }
        for person in 0..<20 { try a.setAge(1000, of: "person \(person)", names) }
        _ = try await sync(a)
        let done = try scenario.zone.compact(keeping: count)
        #expect(done.startPosition == 120 - count && done.forgottenCount == 120 - count)
        return a
    }

    @Test func `a new store begins with a snapshot where the log no longer reaches`()
        async throws
    {
        let a = try await compactedZone()
        let b = try scenario.open("b.db")
        let transport = scenario.transport()
        let outcome = try await sync(b, transport)
        #expect(outcome.isCaughtUp)
        #expect(endpoints(transport).filter { $0 == .snapshot }.count > 5)
        try scenario.expectConverged([a, b])
        // Both continue with the log.
        try b.setAge(7, of: "person 7", names)
        try a.setAge(8, of: "person 8", names)
        for store in [b, a, b] { _ = try await sync(store) }
        try scenario.expectConverged([a, b])
        #expect(try a.row("person 7", names)?.slots[names.age] == .integer(7))
    }

    @Test func `a chunk that no answer holds comes in pieces`() async throws {
        var limits = Self.limits
        (limits.chunkBytes, limits.pageBytes) = (300, 2000)
        let scenario = try EngineScenario(limits: limits)
        let a = try scenario.open("a.db")
        let long = String((0..<30_000).map { Character(UnicodeScalar(97 + UInt8($0 % 25))) })
        for name in ["first", long, "last", String(long.reversed())] { try a.insert(name, names) }
        try await scenario.engine(a).synchronize()
        _ = try scenario.zone.compact(keeping: 0)
        var b = try scenario.open("b.db")
        let transport = scenario.transport()
        // Half of it arrives, then the program ends.
        transport.cut(atRequest: 100, served: true)
        _ = try? await scenario.engine(b, transport).synchronize()
        b.close()
        b = try scenario.open("b.db")
        let again = scenario.transport()
        let outcome = try await scenario.engine(b, again).synchronize()
        #expect(outcome.isCaughtUp)
        let asked = endpoints(transport).filter { $0 == .snapshot }.count
        #expect(endpoints(again).filter { $0 == .snapshot }.count > 50 && asked > 50)
        try scenario.expectConverged([a, b])
        #expect(try b.people(names).count == 4)
    }

    @Test func `a zone with a long log advises a new client to load a snapshot`() async throws {
        var limits = Self.limits
        limits.snapshotDistance = 50
        let scenario = try EngineScenario(limits: limits)
        let (a, b) = (try scenario.open("a.db"), try scenario.open("b.db"))
        for person in 0..<60 { try a.insert("person \(person)", names) }
        try b.insert("of b", names)
        let (first, second) = (scenario.transport(), scenario.transport())
        try await scenario.engine(a, first).synchronize()
        #expect(!endpoints(first).contains(.snapshot))
        try await scenario.engine(b, second).synchronize()
        #expect(endpoints(second).contains(.snapshot))
        try await scenario.engine(a).synchronize()
        try scenario.expectConverged([a, b])
        #expect(try b.people(names).count == 61)
    }

    @Test func `a zone with few large saves advises a new client in the same way`() async throws {
        var limits = Self.limits
        limits.snapshotMilliseconds = 0
        let scenario = try EngineScenario(limits: limits)
        let (a, b) = (try scenario.open("a.db"), try scenario.open("b.db"))
        for person in 0..<3 { try a.insert("person \(person)", names) }
        try await scenario.engine(a).synchronize()
        let transport = scenario.transport()
        try await scenario.engine(b, transport).synchronize()
        #expect(endpoints(transport).contains(.snapshot))
        try scenario.expectConverged([a, b])
        #expect(try b.people(names).count == 3)
    }

    @Test func `a new client loads a snapshot of the log's beginning too`() async throws {
        var limits = Self.limits
        (limits.snapshotDistance, limits.snapshotAge) = (3, 3)
        let scenario = try EngineScenario(limits: limits)
        // This creates the snapshot, which is recent enough when the log is so long that one is
        // advised.
        _ = try scenario.zone.compact(keeping: 0)
        let (a, b) = (try scenario.open("a.db"), try scenario.open("b.db"))
        for person in 0..<3 { try a.insert("person \(person)", names) }
        try await scenario.engine(a).synchronize()
        let transport = scenario.transport()
        let outcome = try await scenario.engine(b, transport).synchronize()
        #expect(outcome.isCaughtUp)
        #expect(endpoints(transport) == [.hello, .snapshot, .pull])
        try scenario.expectConverged([a, b])
    }

    @Test
    func `a client that returns after years pushes first, resurrects nothing and loses nothing`()
        async throws
    {
        let a = try scenario.open("a.db")
        let old = try scenario.open("old.db")
        for person in ["kept", "deleted", "edited by both"] { try a.insert(person, names) }
        for store in [a, old] { _ = try await sync(store) }
        // The store is offline while the other stores continue and the log is compacted.
        try old.setAge(50, of: "deleted", names)
        try old.insert("of the old one", names)
        try old.setAge(1, of: "edited by both", names)
        let gone = try #require(try a.row("deleted", names))
        try a.delete(gone, names)
        for age in 2..<40 { try a.setAge(Int64(age), of: "kept", names) }
        _ = try await sync(a)
        _ = try scenario.zone.compact(keeping: 0)
        let transport = scenario.transport()
        let outcome = try await sync(old, transport)
        #expect(outcome.isCaughtUp && outcome.pushedChangeSets == 3)
        let order = endpoints(transport)
        let push = try #require(order.firstIndex(of: .push))
        #expect(push < (try #require(order.firstIndex(of: .snapshot))))
        _ = try await sync(a)
        try scenario.expectConverged([a, old])
        #expect(try a.names(names) == old.names(names))
        #expect(try a.row("deleted", names) == nil, "nothing is resurrected")
        #expect(try a.row("of the old one", names) != nil)
        #expect(try a.row("edited by both", names)?.slots[names.age] == .integer(1))
        #expect(try old.row("kept", names)?.slots[names.age] == .integer(39))
    }

    /// Only a push decides which of two branches has a name. At no time do records of both branches
    /// have one identity.
    @Test func `a save that may be a fork is pushed before a snapshot is loaded`()
        async throws
    {
        let replica = ReplicaID(high: 1, low: 1)
        let a = try scenario.open("a.db", firstReplica: replica)
        let b = try scenario.open("b.db", firstReplica: replica)
        for person in ["one", "two", "three"] { try a.insert(person, names) }
        _ = try await sync(a)
        _ = try scenario.zone.compact(keeping: 0)
        try b.insert("of the other branch", names)
        let first = try scenario.zone.snapshot(SnapshotRequest(snapshot: nil, number: 0))
        let chunks = try (0..<first.chunkCount).map { number in
            try scenario.zone.snapshot(SnapshotRequest(snapshot: first.snapshot, number: number))
                .chunk
        }
        let error = #expect(throws: StoreError.self) {
            try b.load(chunks, at: first.snapshot.cursor)
        }
        #expect(error?.code == .cursorMoved)
        #expect(try b.people(names).count == 1)
        for store in [b, a] { #expect(try await sync(store).isCaughtUp) }
        try scenario.expectConverged([a, b])
        #expect(try b.people(names).count == 4)
    }

    @Test func `a save that can't be pushed yet stays on top of the snapshot`() async throws {
        let a = try await compactedZone()
        let old = try scenario.open("old.db")
        try old.insert("waits", names)
        try old.insert("waits too", names)
        let transport = scenario.transport()
        transport.refuse(.push, with: ProtocolError(.forbidden, "The token may only read."))
        let outcome = try await sync(old, transport)
        #expect(outcome.blockedBy?.code == .forbidden && outcome.pendingCount == 2)
        #expect(try old.people(names).count == 102)
        _ = try await sync(old)
        _ = try await sync(a)
        try scenario.expectConverged([a, old])
        #expect(try a.people(names).count == 102)
    }

    @Test func `a transfer that is cut at any request continues where it was`() async throws {
        let a = try await compactedZone()
        let b = try scenario.open("b.db")
        var cuts = 0
        var asked: [UInt64] = []
        while true {
            let transport = scenario.transport()
            // Each attempt receives two more chunks.
            transport.cut(atRequest: 4)
            let outcome = try? await sync(b, transport)
            asked += try transport.requests.prefix(3).filter { $0.endpoint == .snapshot }
                .map { try SnapshotRequest(decoding: $0.body).number }
            if outcome != nil { break }
            cuts += 1
        }
        #expect(cuts > 3)
        #expect(asked == Array(0..<UInt64(asked.count)), "no chunk is asked for twice")
        try scenario.expectConverged([a, b])
    }

    @Test func `a snapshot that disappears halfway is restarted`() async throws {
        let a = try await compactedZone()
        let b = try scenario.open("b.db")
        let transport = scenario.transport()
        transport.cut(atRequest: 4)
        _ = try? await sync(b, transport)
        #expect(try b.syncState().staged?.held == 2)
        // Two newer snapshots are created.
        for round in 0..<2 {
            for age in 0..<10 { try a.setAge(Int64(age), of: "person \(round)", names) }
            _ = try await sync(a)
            _ = try scenario.zone.compact(keeping: 0)
        }
        #expect(try await sync(b).isCaughtUp)
        try scenario.expectConverged([a, b])
        #expect(try b.syncState().staged == nil)
    }

    @Test func `a bad network only makes it longer`() async throws {
        let a = try await compactedZone(keeping: 0)
        for seed in 0..<5 as Range<UInt64> {
            let b = try scenario.open("b\(seed).db")
            try b.insert("of \(seed)", names)
            let transport = scenario.transport(seed: seed, faults: .all(oneIn: 5))
            while (try? await sync(b, transport))?.isCaughtUp != true {}
            _ = try await sync(a)
            _ = try await sync(b)
            try scenario.expectConverged([a, b])
        }
        #expect(try a.people(names).count == 105)
    }

    @Test func `a zone that was restored to before the snapshot is reported, and loses nothing`()
        async throws
    {
        let world = try RestoredZone(limits: Self.limits)
        let names = world.scenario.names
        let (a, b) = (try world.scenario.open("a.db"), try world.scenario.open("b.db"))
        for person in 0..<10 { try a.insert("early \(person)", names) }
        try await world.sync(a)
        let backup = try world.backUp()
        for person in 0..<30 { try a.insert("late \(person)", names) }
        try await world.sync(a)
        _ = try world.zone.compact(keeping: 0)
        // Store b has the first forty people in a snapshot alone.
        try await world.sync(b)
        try b.insert("of b", names)
        try world.restore(backup)
        try await world.sync(b)
        #expect(try b.row("of b", names) != nil)
        // The store with the change sets supplies them.
        try await world.sync(a)
        try await world.expectConverged([a, b], people: 41)
    }

    @Test func `a zone that was copied with its snapshots makes one of its own epoch`()
        async throws
    {
        let world = try RestoredZone(limits: Self.limits)
        let names = world.scenario.names
        let a = try world.scenario.open("a.db")
        for person in 0..<10 { try a.insert("person \(person)", names) }
        try await world.sync(a)
        _ = try world.zone.compact(keeping: 0)
        let backup = try world.backUp()
        try FileManager.default.copyItem(
            atPath: world.scenario.folder.file("first.db.snapshots"),
            toPath: world.scenario.folder.file("zone-2.db.snapshots"))
        try world.restore(backup)
        let b = try world.scenario.open("b.db")
        #expect(try await world.sync(b).isCaughtUp)
        try await world.expectConverged([a, b], people: 10)
    }

    @Test
    func `a change set in a snapshot that no store has is declared lost, and the rest stays`()
        async throws
    {
        let world = try RestoredZone(limits: Self.limits)
        let names = world.scenario.names
        let (a, b) = (try world.scenario.open("a.db"), try world.scenario.open("b.db"))
        let empty = try world.backUp()
        for person in 0..<10 { try a.insert("of a \(person)", names) }
        try await world.sync(a)
        _ = try world.zone.compact(keeping: 0)
        // Store b has the first ten people in a snapshot alone, and continues from there.
        try b.insert("of b", names)
        try await world.sync(b)
        try b.insert("of b too", names)
        try b.setAge(5, of: "of a 3", names)
        try await world.sync(b)
        try world.restore(empty)
        let outcome = try await world.sync(b)
        #expect(outcome.isCaughtUp && outcome.blockedBy == nil && outcome.pendingCount == 0)
        let author = try a.replica
        #expect(
            try world.log().filter { $0.kind == .lost }.map(\.dot)
                == (1...10).map { Dot(replica: author, sequence: $0) })
        let c = try world.scenario.open("c.db")
        try await world.expectConverged([b, c], people: 2)
        try c.setAge(9, of: "of b", names)
        try await world.expectConverged([b, c], people: 2)
        // The store with the change sets comes back at last.
        try a.insert("later", names)
        try await world.expectConverged([a, b, c], people: 13)
        #expect(try b.row("of b", names)?.slots[names.age] == .integer(9))
    }

    @Test(arguments: Array(TestLength.seeds(16)) + [70, 72, 124, 168, 220])
    func `all stores converge without loss, whatever is compacted meanwhile`(
        seed: UInt64
    ) async throws {
        var generator = SeededGenerator(seed: seed)
        let world = try RestoredZone(limits: Self.limits)
        let names = world.scenario.names
        var stores: [Store] = []
        for number in 0..<4 { stores.append(try world.scenario.open("\(number).db")) }
        var backup: String?
        var saved = 0
        for step in 0..<60 {
            let store = generator.element(of: stores)
            switch Int.random(in: 0..<20, using: &generator) {
            case 0..<7:
                try store.insert("step \(step)", names)
                saved += 1
            case 7..<10:
                guard let row = try store.people(names).randomElement(using: &generator) else {
                    continue
                }
                guard case .string(let name) = row.slots[names.name] else { continue }
                try store.setAge(Int64(step), of: name, names)
            case 10..<16: try await world.sync(store)
            case 16: backup = try world.backUp()
            case 17:
                guard let backup, seed.isMultiple(of: 2) else { continue }
                try world.restore(backup)
            default:
                _ = try world.zone.compact(keeping: .random(in: 0..<5, using: &generator))
            }
        }
        try await world.expectConverged(stores, people: saved)
    }
}

extension Store {
    func delete(_ row: RowSnapshot, _ names: SmallModel) throws {
        var request = SaveRequest(author: "app")
        request.deletes = [.init(entity: names.person, rows: [(row.id, row.version)])]
        _ = try save(request)
    }
}
