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

/// Tests of saves in parts that are pushed and pulled.
struct PartSyncTests {
    private let scenario: EngineScenario
    private var names: SmallModel { scenario.names }

    init() throws { scenario = try EngineScenario() }

    private func open(_ name: String) throws -> Store {
        try scenario.open(name, partBytes: 300)
    }

    private func insertPeople(_ count: Int, into store: Store) throws {
        var request = SaveRequest(author: "app")
        let rows = try store.reserveNumbers(count).map { id in
            var slots = [PropertyValue](repeating: .null, count: names.person.slots.count)
            slots[names.name] = .string("person \(id)")
            return (id: id, slots: slots)
        }
        request.inserts = [.init(entity: names.person, rows: rows)]
        _ = try store.save(request)
    }

    private func sync(
        _ store: Store, _ transport: MemoryTransport? = nil
    ) async throws -> SyncOutcome {
        var options = SyncOptions()
        options.retry.attempts = 2
        return try await scenario.engine(store, transport) { $0 = options }.synchronize()
    }

    private func count(_ transport: MemoryTransport, _ endpoint: SyncEndpoint) -> Int {
        transport.requests.count { $0.endpoint == endpoint }
    }

    @Test func `a save in parts goes up ahead of its list and comes down behind it`() async throws {
        let (a, b) = (try open("a.db"), try open("b.db"))
        try insertPeople(200, into: a)
        try a.insert("after", names)
        let parts = try #require(try a.pending(byteLimit: .max).first).changeSet.parts().count
        #expect(parts > 5)
        let (up, down) = (scenario.transport(), scenario.transport())
        let outcome = try await sync(a, up)
        #expect(outcome.isCaughtUp && outcome.pushedChangeSets == 2)
        #expect(count(up, .stage) == parts && count(up, .push) == 2)
        let pulled = try await sync(b, down)
        #expect(pulled.isCaughtUp && pulled.pulledChangeSets == 2)
        #expect(count(down, .part) == parts)
        #expect(try b.people(names).count == 201)
        try scenario.expectConverged([a, b])
        #expect(try await sync(a, up).isCaughtUp)
        #expect(count(up, .stage) == parts)
    }

    @Test(arguments: [false, true])
    func `an exchange that is cut at any request continues after what it has received`(
        served: Bool
    ) async throws {
        let a = try open("a.db")
        try insertPeople(60, into: a)
        let up = scenario.transport()
        var requests = 0
        for cut in 1... {
            up.cut(atRequest: up.requests.count + cut % 7 + 1, served: served)
            // No reader sees a part of the save.
            #expect([0, 60].contains(try scenario.zone.records()))
            if (try? await sync(a, up))?.isCaughtUp == true, try a.pendingSaves().count == 0 {
                break
            }
            requests = up.requests.count
            try #require(requests < 2_000)
        }
        let b = try open("b.db")
        let down = scenario.transport()
        for cut in 1... {
            down.cut(atRequest: down.requests.count + cut % 7 + 1, served: served)
            if (try? await sync(b, down))?.isCaughtUp == true { break }
            #expect(try b.people(names).isEmpty)
            try #require(down.requests.count < 2_000)
        }
        try scenario.expectConverged([a, b])
        let parts = try #require(try scenario.log().first).parts().count
        // A piece that has arrived is not sent again, except the piece that was cut.
        #expect(count(up, .stage) <= 2 * parts + 2 && count(down, .part) <= 2 * parts + 2)
    }

    @Test(arguments: TestLength.seeds(8))
    func `damage on the way is noticed, and what is right is asked for again`(
        seed: UInt64
    ) async throws {
        var generator = SeededGenerator(seed: seed)
        let (a, b) = (try open("a.db"), try open("b.db"))
        try insertPeople(60, into: a)
        for _ in 0..<40 {
            let transport = scenario.transport(
                seed: generator.next(), faults: .all(oneIn: 12))
            _ = try? await sync(a, transport)
            _ = try? await sync(b, transport)
        }
        #expect(try await sync(a).isCaughtUp)
        #expect(try await sync(b).isCaughtUp)
        try scenario.expectConverged([a, b])
        #expect(try b.people(names).count == 60)
    }

    @Test func `a zone with invalid parts ends the exchange and leaves the store intact`()
        async throws
    {
        let (a, b) = (try open("a.db"), try open("b.db"))
        try insertPeople(60, into: a)
        _ = try await sync(a)
        let set = try #require(try scenario.log().first)
        let first = try #require(try set.parts().first)
        let wrong = PartResponse(bytes: [UInt8](repeating: 7, count: first.byteCount)).encoded()
        let lying = LyingTransport(scenario.transport()) { endpoint, reply in
            endpoint == .part ? .message(wrong) : reply
        }
        await #expect(throws: SyncError.self) {
            try await scenario.engine(b, lying) { $0.retry.attempts = 3 }.synchronize()
        }
        #expect(lying.count < 40)
        #expect(try b.people(names).isEmpty)
        #expect(try await sync(b).isCaughtUp)
        try scenario.expectConverged([a, b])
    }

    @Test func `a zone that never has the parts stops the push, not the pull`() async throws {
        let (a, b) = (try open("a.db"), try open("b.db"))
        try b.insert("of b", names)
        _ = try await sync(b)
        try insertPeople(60, into: a)
        for held in [UInt64(0), 1 << 40] {
            let lying = LyingTransport(scenario.transport()) { endpoint, reply in
                endpoint == .stage
                    ? .message(StageResponse(heldBytes: held).encoded()) : reply
            }
            _ = try? await scenario.engine(a, lying) { $0.retry.attempts = 3 }.synchronize()
            #expect(lying.count < 60)
        }
        #expect(try a.people(names).count == 61)
        #expect(try await sync(a).isCaughtUp)
        try scenario.expectConverged([a])
    }

    @Test func `a rejected save in parts is undone and can be read whole`() async throws {
        let scenario = try EngineScenario(
            validation: PushValidation { set, _ in
                set.author == "app" ? SaveRejection(.notAllowed, "No.") : nil
            })
        let a = try scenario.open("a.db", partBytes: 300)
        try insertPeople(60, into: a)
        let outcome = try await scenario.engine(a).synchronize()
        #expect(outcome.rejectedSaves == 1 && outcome.isCaughtUp)
        #expect(try a.people(names).isEmpty)
        let rejected = try #require(try a.rejectedSaves().first)
        #expect(try rejected.operations().flatMap(\.touchedRecords).count == 60)
        #expect(try a.discardRejectedSaves([rejected.id]) == 1)
        #expect(try a.read { try $0.connection.rows("SELECT 1 FROM ab_part") }.isEmpty)
    }

    @Test func `a copied store's saves in parts are renamed with all their records`() async throws {
        let a = try open("a.db")
        try a.insert("first", names)
        a.close()
        // The file is the same, so that no store can detect the fork before the zone does.
        let before = try scenario.content(of: "a.db")
        let first = try open("a.db")
        try insertPeople(40, into: first)
        _ = try await sync(first)
        first.close()
        try scenario.overwrite("a.db", with: before)
        let twin = try open("a.db")
        try insertPeople(50, into: twin)
        for _ in 0..<3 { _ = try await sync(twin) }
        #expect(try twin.people(names).count == 91)
        try scenario.expectConverged([twin])
        let renamed = try scenario.log().filter { $0.kind == .saveInParts }
        #expect(renamed.count == 2 && renamed[1].rewrittenFrom != nil)
        let b = try open("b.db")
        _ = try await sync(b)
        try scenario.expectConverged([b])
    }

    @Test func `a store behind the horizon continues with a snapshot`() async throws {
        let (a, b) = (try open("a.db"), try open("b.db"))
        try insertPeople(60, into: a)
        _ = try await sync(a)
        // It has asked for some of the parts when the log is compacted.
        let down = scenario.transport()
        down.cut(atRequest: 4)
        _ = try? await sync(b, down)
        for number in 0..<3 { try a.insert("later \(number)", names) }
        _ = try await sync(a)
        _ = try scenario.zone.compact(keeping: 1)
        #expect(try await sync(b).isCaughtUp)
        try scenario.expectConverged([a, b])
        #expect(try b.read { try $0.connection.rows("SELECT 1 FROM ab_part") }.isEmpty)
    }
}

extension ZoneService {
    fileprivate func records() throws -> Int { Int(try information().records) }
}

/// A server with answers that differ from the zone's.
private final class LyingTransport: Transport, @unchecked Sendable {
    private let transport: MemoryTransport
    private let lie: @Sendable (SyncEndpoint, TransportReply) -> TransportReply

    init(
        _ transport: MemoryTransport,
        _ lie: @escaping @Sendable (SyncEndpoint, TransportReply) -> TransportReply
    ) {
        self.transport = transport
        self.lie = lie
    }

    var count: Int { transport.requests.count }

    func send(_ endpoint: SyncEndpoint, body: [UInt8]) async throws -> TransportReply {
        lie(endpoint, try await transport.send(endpoint, body: body))
    }

    func events() -> AsyncThrowingStream<ZoneEvent, any Error> { transport.events() }
}
