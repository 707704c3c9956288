import AnabranchProtocol
import AnabranchReplication
import AnabranchServer
import AnabranchStore
import Foundation
import TestSupport
import Testing

@testable import AnabranchSync

/// Tests of stores that leave their zone for a zone on another server.
@Suite struct `A store that moves to another zone` {
    let scenario: EngineScenario
    /// The zone on the other server.
    let other: ZoneService

    init() throws {
        scenario = try EngineScenario()
        let storage = try SQLiteZoneStorage(
            path: scenario.folder.file("other.db"), creating: true
        ) { EpochID(high: 0xF, low: 0xF) }
        let clock = scenario.serverClock
        other = ZoneService(
            name: try ZoneName("work"), storage: storage, wallMilliseconds: { clock.milliseconds })
    }

    @discardableResult
    private func move(_ store: Store, _ moves: Bool = true) async throws -> SyncOutcome {
        let engine = try scenario.engine(
            store, MemoryTransport(ZoneEndpoint(other)), zone: "work"
        ) { $0.movesZone = moves }
        return try await engine.synchronize()
    }

    private func expectOneState(_ stores: [Store], people: Int) async throws {
        for _ in 0..<2 {
            for store in stores {
                #expect(try await move(store, false).isCaughtUp)
                #expect(try SyncMetadata(of: store).zone == "work")
            }
        }
        let hash = try other.canonicalHash().hash
        for store in stores {
            #expect(try store.canonicalHash() == hash)
            #expect(
                try store.read { try $0.count(FetchQuery(entity: scenario.names.person)) } == people
            )
        }
    }

    @Test func `takes all it has along, and so does every other`() async throws {
        let names = scenario.names
        let stores = try ["a.db", "b.db", "reader.db"].map { try scenario.open($0) }
        for store in stores.dropLast() {
            try store.insert("before", names)
            try await scenario.engine(store).synchronize()
        }
        for store in stores { try await scenario.engine(store).synchronize() }
        try stores[0].insert("unpushed", names)
        // The store that never saved joins a zone with much content that it has not seen.
        for store in stores { #expect(try await move(store).isCaughtUp) }
        try stores[2].insert("afterwards", names)
        try await expectOneState(stores, people: 4)
        let log = try stores[2].read { try $0.changeSets(after: 0, limit: .max) }
        #expect(Set(log.map(\.changeSet.origin)).count == log.count)
        #expect(log.count == 4)
    }

    @Test func `joins one that other stores have filled`() async throws {
        let names = scenario.names
        let (a, stranger) = (try scenario.open("a.db"), try scenario.open("s.db"))
        try a.insert("of a", names)
        try await scenario.engine(a).synchronize()
        try stranger.insert("of somebody else", names)
        try await move(stranger)
        // A store moves only if the caller asks for it.
        let error = await #expect(throws: SyncError.self) { try await move(a, false) }
        #expect(error?.code == .otherZone)
        try await move(a)
        try await expectOneState([a, stranger], people: 2)
    }

    @Test func `keeps what its log lacks, until the new zone has it`() async throws {
        let names = scenario.names
        let (a, b) = (try scenario.open("a.db"), try scenario.open("b.db"))
        try a.insert("of a", names)
        try await scenario.engine(a).synchronize()
        _ = try scenario.zone.compact(keeping: 0)
        try await scenario.engine(b).synchronize()
        let hash = try b.canonicalHash()
        for _ in 0..<2 {
            let error = await #expect(throws: SyncError.self) { try await move(b) }
            #expect(error?.code == .unknownCursor && error?.details["start"] == "1")
            #expect(try b.canonicalHash() == hash)
            #expect(try other.head().position == 0)
        }
        try await move(a)
        try await move(b)
        try await expectOneState([a, b], people: 1)
    }

    @Test func `does not take another zone's state in place of what its log lacks`() async throws {
        let names = scenario.names
        let (a, b, stranger) = (
            try scenario.open("a.db"), try scenario.open("b.db"), try scenario.open("s.db")
        )
        try a.insert("of a", names)
        try await scenario.engine(a).synchronize()
        _ = try scenario.zone.compact(keeping: 0)
        try await scenario.engine(b).synchronize()
        try b.insert("of b", names)
        try stranger.insert("of somebody else", names)
        try await move(stranger)
        let hash = try b.canonicalHash()
        await #expect(throws: SyncError.self) { try await move(b) }
        #expect(try b.canonicalHash() == hash)
        // The store can go on with the zone that it has followed.
        try await scenario.engine(b).synchronize()
        #expect(try scenario.zone.canonicalHash().hash == hash)
    }

    @Test func `gives the new zone contexts that need no other log`() async throws {
        let names = scenario.names
        let stores = try ["a.db", "b.db"].map { try scenario.open($0) }
        for turn in 0..<3 {
            for store in stores {
                try store.insert("turn \(turn)", names)
                try await scenario.engine(store).synchronize()
            }
        }
        try await move(stores[1])
        let page = try other.pull(.init(cursor: nil, byteLimit: 1 << 20))
        var held = VersionVector()
        for bytes in page.changeSets {
            let set = try ChangeSet(decoding: bytes)
            #expect(set.context.beyond.allSatisfy { held.contains($0.dot) })
            #expect(set.context.prefix.map { $0.epoch == page.cursor.epoch } ?? true)
            held.insert(set.dot)
        }
        #expect(held == (try stores[1].read { try $0.versionVector() }))
    }
}
