import AnabranchProtocol
import AnabranchSQLite
import AnabranchStore
import TestSupport
import Testing

@testable import AnabranchSync

/// Tests of a zone that sends the same unusable page again and again.
struct DamagedLogTests {
    @Test func `a damaged entry of the zone's log gives way to a snapshot, and nothing is lost`()
        async throws
    {
        let scenario = try EngineScenario()
        let names = scenario.names
        let author = try scenario.open("a.db")
        for name in ["Ada", "Ann", "Amy"] { try author.insert(name, names) }
        try await scenario.engine(author).synchronize()
        let zone = try Connection(path: scenario.folder.file("zone.db"))
        try zone.execute(
            "UPDATE log SET change_set = substr(change_set, 1, length(change_set) - 1) || x'FF' "
                + "WHERE position = 2")
        #expect(zone.changes == 1)
        zone.close()
        let store = try scenario.open("b.db")
        try store.insert("Bob", names)
        let engine = try scenario.engine(store)
        let outcome = try await engine.synchronize()
        let reason = try #require(outcome.snapshotReason)
        #expect(reason.code == .damagedResponse)
        #expect(reason.message.hasPrefix("Can't read a pulled change set because"))
        #expect(outcome.isCaughtUp && outcome.pushedChangeSets == 1)
        #expect(engine.status.lastError == nil)
        try store.setAge(7, of: "Ada", names)
        let next = try await engine.synchronize()
        #expect(next.isCaughtUp && next.snapshotReason == nil, "the damage lies behind the store")
        try await scenario.engine(author).synchronize()
        #expect(try author.people(names).count == 4)
        try scenario.expectConverged([author, store])
    }

    @Test func `a zone of which no page can be read ends the exchange, and the status says so`()
        async throws
    {
        let scenario = try EngineScenario()
        let names = scenario.names
        let author = try scenario.open("a.db")
        try author.insert("Ada", names)
        try await scenario.engine(author).synchronize()
        let store = try scenario.open("b.db")
        try store.insert("Bob", names)
        let transport = scenario.transport()
        let engine = try scenario.engine(store, DamagingTransport(transport))
        let error = await #expect(throws: SyncError.self) { try await engine.synchronize() }
        #expect(error?.code == .unusableLog)
        #expect(error?.message.contains("also after a snapshot") == true)
        #expect(error?.message.contains("'anabranchd zone verify'") == true)
        #expect(engine.status.lastError?.code == .unusableLog)
        let pulls = transport.requests.filter { $0.endpoint == .pull }.count
        #expect(pulls == 2 * SyncRetryPolicy().attempts, "the number of equal pages is bounded")
        #expect(try store.people(names).count == 2, "the snapshot and the store's own save")
        #expect(try await scenario.engine(store).synchronize().isCaughtUp)
        try await scenario.engine(author).synchronize()
        try scenario.expectConverged([author, store])
    }
}

/// A connection on which the last byte of every pulled page is another one.
private struct DamagingTransport: Transport {
    let transport: MemoryTransport

    init(_ transport: MemoryTransport) { self.transport = transport }

    func send(_ endpoint: SyncEndpoint, body: [UInt8]) async throws -> TransportReply {
        let reply = try await transport.send(endpoint, body: body)
        guard endpoint == .pull, case .message(var bytes) = reply, !bytes.isEmpty else {
            return reply
        }
        bytes[bytes.count - 1] ^= 0x10
        return .message(bytes)
    }

    func events() -> AsyncThrowingStream<ZoneEvent, any Error> { transport.events() }
}
