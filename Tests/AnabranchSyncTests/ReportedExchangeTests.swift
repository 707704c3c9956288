import AnabranchModel
import AnabranchProtocol
import AnabranchReplication
import AnabranchServer
import AnabranchStore
import Synchronization
import TestSupport
import Testing

@testable import AnabranchSync

/// Tests of what an engine and a store's file say while an exchange waits, and after it was cut.
struct ReportedExchangeTests {
    @Test func `a first sync by a snapshot counts its records`() async throws {
        let scenario = try EngineScenario()
        let names = scenario.names
        let a = try scenario.open("a.db")
        for number in 0..<30 { try a.insert("person \(number)", names) }
        try a.delete("person 3", names)
        #expect(try await scenario.engine(a).synchronize().snapshotRecords == 0)
        _ = try scenario.zone.compact(keeping: 0)
        let b = try scenario.open("b.db")
        let engine = try scenario.engine(b)
        let outcome = try await engine.synchronize()
        #expect(outcome.snapshotRecords == 29 && outcome.pulledChangeSets == 0)
        #expect(try await engine.synchronize().snapshotRecords == 0)
    }

    @Test func `an exchange that waits says why, and no longer after that`() async throws {
        let scenario = try EngineScenario()
        let store = try scenario.open("a.db")
        let transport = scenario.transport()
        transport.refuse(.pull, with: ProtocolError(.storageFull, "The disk is full."))
        let engine = try scenario.engine(store, transport)
        let updates = engine.statusUpdates
        let waiting = Task {
            for await status in updates {
                if case .waiting = status.activity { return status.delayedBy }
            }
            return nil
        }
        let error = await #expect(throws: SyncError.self) { try await engine.synchronize() }
        #expect(error?.code == .storageFull)
        #expect(await waiting.value?.message == "The disk is full.")
        #expect(engine.status.delayedBy == nil)
    }

    @Test func `a server without room says so at once, and the pull goes on`() async throws {
        let scenario = try EngineScenario()
        let names = scenario.names
        let other = try scenario.open("b.db")
        try other.insert("Bob", names)
        try await scenario.engine(other).synchronize()
        let store = try scenario.open("a.db")
        try store.insert("Ada", names)
        let transport = scenario.transport()
        transport.refuse(.push, with: ProtocolError(.storageFull, "The disk is full."))
        let outcome = try await scenario.engine(store, transport).synchronize()
        #expect(outcome.blockedBy?.code == .storageFull && outcome.pendingCount == 1)
        #expect(try store.people(names).count == 2)
        #expect(scenario.sleeps.withLock { $0.isEmpty })
        transport.refuse(.push, with: nil)
        #expect(try await scenario.engine(store, transport).synchronize().isCaughtUp)
    }

    /// The process may be killed there.
    @Test func `a first sync that is cut anywhere after it gave or took something names its zone`()
        async throws
    {
        let scenario = try EngineScenario()
        let names = scenario.names
        let other = try scenario.open("b.db")
        try other.insert("Bob", names)
        try await scenario.engine(other).synchronize()
        for cut in 1...5 {
            for isServed in [false, true] {
                let store = try scenario.open("a\(cut)\(isServed).db")
                try store.insert("Ada", names)
                let transport = scenario.transport()
                transport.cut(atRequest: cut, served: isServed)
                let before = try scenario.zone.head().position
                let outcome = try? await scenario.engine(store, transport) {
                    $0.retry.attempts = 1
                }.synchronize()
                let hasGiven = try scenario.zone.head().position > before
                let hasTaken = try store.people(names).count > 1
                let status = try SyncStatus(of: store)
                #expect(!(hasGiven || hasTaken) || status.zone == "family", "cut at \(cut)")
                #expect((outcome == nil) == (status.lastExchange == nil))
                if status.zone == nil { #expect(status.position == 0) }
            }
        }
    }

    @Test func `a refused foreign zone does not bind the store`() async throws {
        let scenario = try EngineScenario()
        let other = try scenario.open("b.db")
        try other.insert("Bob", scenario.names)
        try await scenario.engine(other).synchronize()
        let accounts = try ManagedObjectModel {
            EntityDeclaration("Account") { AttributeDeclaration("name", .string) }
        }
        let store = try scenario.open("a.db", model: accounts)
        let engine = try scenario.engine(store) { $0.refusesForeignZone = true }
        let error = await #expect(throws: SyncError.self) { try await engine.synchronize() }
        #expect(error?.code == .foreignZone)
        #expect(try SyncStatus(of: store).zone == nil)
    }
}
