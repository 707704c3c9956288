import AnabranchProtocol
import AnabranchReplication
import AnabranchServer
import AnabranchStore
import TestSupport
import Testing

@testable import AnabranchSync

/// Tests that a save which the zone refuses stays in the store and is reported, and that the pull
/// continues.
struct SyncRefusalTests {
    @Test func `saves that are stamped ahead get times of now, in their order`() async throws {
        let scenario = try EngineScenario()
        let names = scenario.names
        let other = try scenario.open("b.db")
        try other.insert("Bob", names)
        try await scenario.engine(other).synchronize()
        let clock = SettableClock(scenario.serverClock.milliseconds + 3_600_000)
        let store = try scenario.open("a.db", clock: clock)
        for name in ["Ada", "Ann"] { try store.insert(name, names) }
        let engine = try scenario.engine(store)
        let outcome = try await engine.synchronize()
        #expect(outcome.isCaughtUp && outcome.blockedBy == nil)
        #expect(try store.people(names).count == 3)
        try await scenario.engine(other).synchronize()
        try scenario.expectConverged([store, other])
        // From here on the store follows the server's clock: no later save is refused.
        try store.insert("Amy", names)
        let last = try #require(try store.pending(byteLimit: .max).last?.changeSet.timestamp)
        #expect(abs(last.wallMilliseconds - scenario.serverClock.milliseconds) < 60_000)
        // No other clock has moved: a later write on another store wins.
        try await engine.synchronize()
        try await scenario.engine(other).synchronize()
        try scenario.expectConverged([store, other])
    }

    @Test func `a token that may only read blocks the push and not the pull`() async throws {
        let scenario = try EngineScenario()
        let names = scenario.names
        let other = try scenario.open("b.db")
        try other.insert("Bob", names)
        try await scenario.engine(other).synchronize()
        let store = try scenario.open("a.db")
        try store.insert("Ada", names)
        let transport = scenario.transport()
        transport.refuse(.push, with: ProtocolError(.forbidden, "It may only read."))
        let engine = try scenario.engine(store, transport)
        let outcome = try await engine.synchronize()
        #expect(outcome.blockedBy?.code == .forbidden && outcome.pendingCount == 1)
        #expect(try store.people(names).count == 2)
        transport.refuse(.push, with: nil)
        #expect(try await engine.synchronize().isCaughtUp)
    }

    @Test func `a zone that refuses all clients ends the exchange with its reason`() async throws {
        let scenario = try EngineScenario()
        let store = try scenario.open("a.db")
        try store.insert("Ada", scenario.names)
        let transport = scenario.transport()
        transport.refuse(.hello, with: ProtocolError(.unauthorized, "Who are you?"))
        let engine = try scenario.engine(store, transport)
        let error = await #expect(throws: SyncError.self) { try await engine.synchronize() }
        #expect(error?.code == .unauthorized)
        #expect(engine.status.lastError?.code == .unauthorized)
        #expect(engine.status.pendingCount == 1)
        #expect(try SyncStatus(of: store).zone == nil)
        #expect(try SyncStatus(of: store).lastError?.code == .unauthorized)
        #expect(try scenario.engine(store).status.lastError == nil)
        transport.refuse(.hello, with: nil)
        #expect(try await engine.synchronize().isCaughtUp)
        #expect(try SyncStatus(of: store).lastError == nil)
        #expect(try SyncStatus(of: store).isCaughtUp)
        try store.insert("Bob", scenario.names)
        #expect(try !SyncStatus(of: store).isCaughtUp)
    }

    @Test func `a store that syncs with one zone refuses another`() async throws {
        let scenario = try EngineScenario()
        let store = try scenario.open("a.db")
        try await scenario.engine(store).synchronize()
        let error = #expect(throws: SyncError.self) {
            try scenario.engine(store, zone: "work")
        }
        #expect(error?.code == .otherZone)
        #expect(error?.message.contains("family") == true)
    }
}
