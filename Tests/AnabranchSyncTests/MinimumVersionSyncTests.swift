import AnabranchProtocol
import AnabranchReplication
import AnabranchServer
import AnabranchStore
import Foundation
import TestSupport
import Testing

@testable import AnabranchSync

/// Apps of several versions that sync with one zone, which asks for a version.
struct MinimumVersionSyncTests {
    @Test func `an app below the minimum stops, keeps its saves, and sends them after its update`()
        async throws
    {
        let scenario = try EngineScenario()
        let names = scenario.names
        let (new, old) = (try scenario.open("new.db"), try scenario.open("old.db"))
        let newEngine = try scenario.engine(new) { $0.appVersion = 2 }
        let transport = scenario.transport()
        let oldEngine = try scenario.engine(old, transport) { $0.appVersion = 1 }
        for engine in [newEngine, oldEngine] { try await engine.synchronize() }
        try old.insert("Ada", names)
        try new.insert("Bob", names)
        try new.raiseMinimumVersion(to: 2, author: "Bob")
        try await newEngine.synchronize()
        #expect(newEngine.status.activity == .idle && newEngine.status.minimumVersion == 2)

        let error = await syncError { try await oldEngine.synchronize() }
        #expect(error?.code == .updateRequired && error?.details["minimumVersion"] == "2")
        #expect(oldEngine.status.activity == .updateRequired(minimum: 2))
        #expect(try scenario.zone.head().position == 2, "nothing of the old app went up")
        #expect(try old.people(names).count == 2 && old.pendingSaves().count == 1)

        let requests = transport.requests.count
        try old.insert("Cleo", names)
        #expect(await syncError { try await oldEngine.synchronize() }?.code == .updateRequired)
        #expect(transport.requests.count == requests, "the zone is asked nothing more")

        let later = try scenario.engine(old, transport) { $0.appVersion = 1 }
        #expect(later.status.activity == .updateRequired(minimum: 2))
        let updated = try scenario.engine(old, transport) { $0.appVersion = 2 }
        #expect(updated.status.activity == .idle)
        #expect(try await updated.synchronize().pushedChangeSets == 2)
        try await newEngine.synchronize()
        try scenario.expectConverged([new, old])
        #expect(try new.people(names).count == 3)
    }

    @Test func `an engine without a version syncs with every zone`() async throws {
        let scenario = try EngineScenario()
        let store = try scenario.open("a.db")
        try store.raiseMinimumVersion(to: 9, author: "")
        let engine = try scenario.engine(store)
        #expect(try await engine.synchronize().isCaughtUp)
        #expect(engine.status.minimumVersion == 9 && engine.status.activity == .idle)
    }

    @Test func `a snapshot has the minimum too`() async throws {
        let scenario = try EngineScenario()
        let names = scenario.names
        let (new, old) = (try scenario.open("new.db"), try scenario.open("old.db"))
        try new.insert("Ada", names)
        try new.raiseMinimumVersion(to: 2, author: "")
        try await scenario.engine(new).synchronize()
        _ = try scenario.zone.compact(keeping: 0)
        let engine = try scenario.engine(old) { $0.appVersion = 1 }
        #expect(await syncError { try await engine.synchronize() }?.code == .updateRequired)
        #expect(try old.minimumVersion() == 2 && old.people(names).count == 1)
    }

    @Test func `the live loop ends, and says so`() async throws {
        let scenario = try EngineScenario()
        let (new, old) = (try scenario.open("new.db"), try scenario.open("old.db"))
        let engine = try scenario.engine(old) { $0.appVersion = 1 }
        let updates = engine.statusUpdates
        engine.start()
        try new.raiseMinimumVersion(to: 2, author: "")
        try await scenario.engine(new).synchronize()
        try old.insert("Ada", scenario.names)
        for await status in updates
        where !status.isLive && status.activity == .updateRequired(minimum: 2) {
            break
        }
        await engine.stop()
        #expect(try old.pendingSaves().count == 1)
        #expect(engine.status.lastError?.code == .updateRequired)
    }

    private func syncError(_ body: () async throws -> Void) async -> SyncError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? SyncError
        }
    }
}
