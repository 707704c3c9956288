import AnabranchProtocol
import AnabranchReplication
import AnabranchServer
import AnabranchStore
import Foundation
import TestSupport
import Testing

@testable import AnabranchSync

/// Tests of zones that are restored: the clients supply again what the server has lost.
final class RestoredZone {
    let scenario: EngineScenario
    /// The clock of all engines; `nil` if they use the system's.
    var clock: SettableClock?
    private var count = 0
    private(set) var zone: ZoneService
    private var path: String
    private let limits: ZoneLimits

    init(limits: ZoneLimits = ZoneLimits()) throws {
        self.limits = limits
        scenario = try EngineScenario()
        path = scenario.folder.file("first.db")
        zone = try Self.open(path, scenario.serverClock, limits)
    }

    private static func open(
        _ path: String, _ clock: SettableClock, _ limits: ZoneLimits,
        _ validation: PushValidation? = nil
    ) throws -> ZoneService {
        let storage = try SQLiteZoneStorage(path: path, creating: true) {
            EpochID(high: .random(in: 0...UInt64.max), low: 1)
        }
        return ZoneService(
            name: try ZoneName("family"), storage: storage, limits: limits,
            validation: validation, wallMilliseconds: { clock.milliseconds })
    }

    /// Copies the zone's current file.
    func backUp() throws -> String {
        zone.close()
        count += 1
        let backup = scenario.folder.file("backup-\(count).db")
        try FileManager.default.copyItem(atPath: path, toPath: backup)
        zone = try Self.open(path, scenario.serverClock, limits)
        return backup
    }

    /// - Parameter backup: The backup; `nil` begins with an empty zone.
    func restore(_ backup: String?, validation: PushValidation? = nil) throws {
        zone.close()
        count += 1
        path = scenario.folder.file("zone-\(count).db")
        if let backup { try FileManager.default.copyItem(atPath: backup, toPath: path) }
        zone = try Self.open(path, scenario.serverClock, limits, validation)
    }

    @discardableResult
    func sync(_ store: Store) async throws -> SyncOutcome {
        let engine = try scenario.engine(
            store, MemoryTransport(ZoneEndpoint(zone)), clock: clock)
        return try await engine.synchronize()
    }

    /// Syncs while the server refuses requests of a kind.
    func sync(_ store: Store, refusing endpoint: SyncEndpoint) async throws {
        let transport = MemoryTransport(ZoneEndpoint(zone))
        transport.refuse(endpoint, with: ProtocolError(.forbidden, "The token may only read."))
        _ = try? await scenario.engine(store, transport, clock: clock).synchronize()
    }

    func expectConverged(_ stores: [Store], people: Int) async throws {
        try await expectEqual(stores)
        for store in stores { #expect(try store.people(scenario.names).count == people) }
    }

    /// Checks that all stores reach the zone's state.
    func expectEqual(_ stores: [Store]) async throws {
        for _ in 0..<3 { for store in stores { try await sync(store) } }
        let hash = try zone.canonicalHash().hash
        for store in stores {
            #expect(try store.canonicalHash() == hash)
            #expect(try store.pendingSaves().count == 0)
            #expect(try store.recordsToRepair(limit: 1).isEmpty)
        }
    }

    func log() throws -> [ChangeSet] { try EngineScenario.log(of: zone) }
}

struct RestoredZoneTests {
    @Test func `a save that the backup lacks comes back from any replica that holds it`()
        async throws
    {
        let world = try RestoredZone()
        let names = world.scenario.names
        let (a, b) = (try world.scenario.open("a.db"), try world.scenario.open("b.db"))
        try a.insert("before", names)
        for store in [a, b] { try await world.sync(store) }
        let backup = try world.backUp()
        try a.insert("of a", names)
        try await world.sync(a)
        try b.insert("of b", names)
        try await world.sync(b)
        try a.insert("unpushed", names)
        try world.restore(backup)
        // Store b also has the lost save of store a, and is the first to come back.
        let outcome = try await world.sync(b)
        #expect(outcome.isCaughtUp && outcome.pushedChangeSets == 2)
        try await world.expectConverged([a, b], people: 4)
        let c = try world.scenario.open("c.db")
        try await world.expectConverged([a, b, c], people: 4)
    }

    /// What the zone has acknowledged is different from what of its log the store has pulled.
    @Test func `a save that was acknowledged ahead of the cursor is sent again`() async throws {
        let world = try RestoredZone()
        let names = world.scenario.names
        let (a, b) = (try world.scenario.open("a.db"), try world.scenario.open("b.db"))
        for store in [a, b] { try await world.sync(store) }
        let backup = try world.backUp()
        try b.insert("of b", names)
        try a.insert("of a", names)
        // The zone has the save of store b after the position that store a has pulled. Store a goes
        // offline after its push.
        try await world.sync(b)
        let set = try #require(try a.pending(byteLimit: .max).first)
        let epoch = try world.zone.head().epoch
        let taken = try world.zone.push(
            PushRequest(epoch: epoch, changeSets: [set.changeSet.encoded()])
        ).acknowledgements
        #expect(taken.map(\.position) == [2])
        try a.acknowledge(
            taken.map {
                Acknowledged(
                    set, position: $0.position, dot: $0.dot, timestamp: $0.timestamp,
                    digest: $0.digest)
            }, epoch: epoch)
        try a.insert("later", names)
        #expect(try a.pendingSaves().count == 1)

        try world.restore(backup)
        let outcome = try await world.sync(a)
        #expect(outcome.isCaughtUp && outcome.pushedChangeSets == 2)
        try await world.expectConverged([a, b], people: 3)
    }

    @Test func `an emptied zone is filled again by the replicas that had synced with it`()
        async throws
    {
        let world = try RestoredZone()
        let names = world.scenario.names
        let (a, b) = (try world.scenario.open("a.db"), try world.scenario.open("b.db"))
        try a.insert("of a", names)
        try await world.sync(a)
        try b.insert("of b", names)
        for store in [b, a] { try await world.sync(store) }
        try world.restore(nil)
        try await world.sync(a)
        try await world.expectConverged([a, b], people: 2)
    }

    @Test func `another zone's log is not mixed with the store's`() async throws {
        let world = try RestoredZone()
        let names = world.scenario.names
        let (a, stranger) = (try world.scenario.open("a.db"), try world.scenario.open("s.db"))
        try a.insert("of a", names)
        try await world.sync(a)
        try world.restore(nil)
        try stranger.insert("of somebody else", names)
        try await world.sync(stranger)
        let hash = try a.canonicalHash()
        let error = await #expect(throws: SyncError.self) { try await world.sync(a) }
        #expect(error?.code == .unknownCursor)
        #expect(try a.canonicalHash() == hash)
        #expect(try world.zone.head().position == 1)
    }

    @Test func `a write from before a zone was emptied is no conflict with one that had seen it`()
        async throws
    {
        let world = try RestoredZone()
        let names = world.scenario.names
        let (a, b) = (try world.scenario.open("a.db"), try world.scenario.open("b.db"))
        try a.insert("one", age: 1, names)
        for store in [a, b] { try await world.sync(store) }
        try world.restore(try world.backUp())
        try await world.sync(b)
        try b.setAge(2, of: "one", names)
        for store in [b, a] { try await world.sync(store) }
        #expect(try a.row("one", names)?.slots[names.age] == .integer(2))
        for store in [a, b] { #expect(try store.conflictCount() == 0) }
    }

    @Test func `saves that were made on both sides of a restore are all kept`() async throws {
        let world = try RestoredZone()
        let names = world.scenario.names
        let (a, b, c) = (
            try world.scenario.open("a.db"), try world.scenario.open("b.db"),
            try world.scenario.open("c.db")
        )
        try a.insert("before", names)
        for store in [a, b, c] { try await world.sync(store) }
        let backup = try world.backUp()
        for turn in 0..<5 {
            try a.insert("lost \(turn)", names)
            for store in [a, b] { try await world.sync(store) }
        }
        try world.restore(backup)
        // Store c has never seen the lost change sets and continues at once, so other change sets
        // take their positions.
        for turn in 0..<7 { try c.insert("new \(turn)", names) }
        try await world.sync(c)
        try await world.expectConverged([b, c, a], people: 13)
    }

    /// A zone, its empty backup, a store with the whole log, and one that began with a snapshot.
    private func snapshotOfOnePerson() async throws -> (RestoredZone, String, Store, Store) {
        let world = try RestoredZone()
        let empty = try world.backUp()
        let (a, b) = (try world.scenario.open("a.db"), try world.scenario.open("b.db"))
        try a.insert("one", world.scenario.names)
        try await world.sync(a)
        _ = try world.zone.compact(keeping: 0)
        try await world.sync(b)
        return (world, empty, a, b)
    }

    @Test func `a store that began with a snapshot goes on if the restored zone has it all`()
        async throws
    {
        let world = try RestoredZone()
        let names = world.scenario.names
        let (a, b) = (try world.scenario.open("a.db"), try world.scenario.open("b.db"))
        try a.insert("one", names)
        try await world.sync(a)
        let backup = try world.backUp()
        try world.restore(backup)
        _ = try world.zone.compact(keeping: 0)
        try await world.sync(b)
        // The zone no longer knows the epoch, but its log is the same up to the store's cursor.
        try world.restore(backup)
        try b.setAge(7, of: "one", names)
        let outcome = try await world.sync(b)
        #expect(outcome.keptCopy == nil && outcome.pushedChangeSets == 1)
        try await world.expectConverged([b, a], people: 1)
    }

    /// The store had the record by a snapshot alone, so only another replica can return it.
    @Test func `an edit waits for a record that the restored zone has lost`() async throws {
        let (world, empty, a, b) = try await snapshotOfOnePerson()
        let names = world.scenario.names
        try b.setAge(7, of: "one", names)
        try world.restore(empty)
        try await world.sync(b, refusing: .push)
        #expect(try b.people(names).isEmpty, "the store has the zone's state")
        try await world.sync(a)
        try await world.expectConverged([b, a], people: 1)
        #expect(try a.row("one", names)?.slots[names.age] == .integer(7))
    }

    @Test func `a copy is kept of records that only a store still has`() async throws {
        let (world, empty, a, b) = try await snapshotOfOnePerson()
        let names = world.scenario.names
        try world.restore(empty)
        let outcome = try await world.sync(b)
        #expect(outcome.isCaughtUp)
        #expect(try b.people(names).isEmpty, "the store has the zone's state")
        let path = try #require(outcome.keptCopy)
        let name = try #require(path.split(separator: "/").last.map(String.init))
        #expect(path == world.scenario.folder.file(name) && name.hasPrefix("b.db.before-zone-"))
        let copy = try world.scenario.open(name)
        #expect(try copy.row("one", names) != nil)
        #expect(try await world.sync(b).keptCopy == nil)
        // Nothing is lost while a store with the whole log lives.
        let again = try await world.sync(a)
        #expect(again.keptCopy == nil)
        try await world.expectConverged([b, a], people: 1)
    }

    @Test func `an edit from before the next snapshot names what the last one brought`()
        async throws
    {
        let (world, empty, a, b) = try await snapshotOfOnePerson()
        let names = world.scenario.names
        try world.restore(empty)
        try await world.sync(b, refusing: .snapshot)
        #expect(try b.syncState().cursor?.position == 0)
        try b.setAge(7, of: "one", names)
        try await world.expectConverged([a, b], people: 1)
        #expect(try a.row("one", names)?.slots[names.age] == .integer(7))
        for store in [a, b] { #expect(try store.conflictCount() == 0) }
    }

    /// One branch is renamed, later gets its name back from the other branch, and that one is
    /// renamed.
    @Test func `two histories under one identity swap their names where the zone did`()
        async throws
    {
        let world = try RestoredZone()
        let names = world.scenario.names
        let empty = try world.backUp()
        let replica = ReplicaID(high: 1, low: 1)
        let a = try world.scenario.open("a.db", firstReplica: replica)
        let b = try world.scenario.open("b.db", firstReplica: replica)
        try a.insert("of a", names)
        try b.insert("of b", names)
        try world.scenario.copy("b.db", to: "c.db")
        try await world.sync(a)
        try await world.sync(b, refusing: .push)
        #expect(try b.people(names).count == 2)

        try world.restore(empty)
        let c = try world.scenario.open("c.db")
        for store in [c, a, b] { try await world.sync(store) }
        try await world.expectConverged([a, b, c], people: 2)
    }

    @Test(arguments: TestLength.seeds(12))
    func `restored again and again, nothing of a living client is lost`(
        seed: UInt64
    ) async throws {
        var generator = SeededGenerator(seed: seed)
        let world = try RestoredZone()
        let names = world.scenario.names
        var stores: [Store] = []
        for number in 0..<3 { stores.append(try world.scenario.open("\(number).db")) }
        var backups: [String] = []
        var saved = 0
        for step in 0..<40 {
            let store = generator.element(of: stores)
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<4:
                try store.insert("step \(step)", names)
                saved += 1
            case 4..<8: try await world.sync(store)
            case 8: backups.append(try world.backUp())
            default:
                guard !backups.isEmpty else { continue }
                try world.restore(generator.element(of: backups))
            }
        }
        try await world.expectConverged(stores, people: saved)
    }
}
