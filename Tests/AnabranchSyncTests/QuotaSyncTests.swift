import AnabranchProtocol
import AnabranchServer
import AnabranchStore
import TestSupport
import Testing

@testable import AnabranchSync

/// Tests that saves beyond a quota wait in the store and arrive when there is room.
struct QuotaSyncTests {
    private func limit(_ records: Int64, _ scenario: EngineScenario) throws {
        var quotas = ZoneQuotas()
        quotas[.records] = .most(records)
        try scenario.zone.setQuotas(quotas)
    }

    @Test func `a save beyond a quota waits, the status says why, and it arrives later`()
        async throws
    {
        let scenario = try EngineScenario()
        try limit(1, scenario)
        let store = try scenario.open("a.db")
        for name in ["Ada", "Bob"] { try store.insert(name, scenario.names) }
        let engine = try scenario.engine(store)
        let outcome = try await engine.synchronize()
        #expect(outcome.blockedBy?.code == .quotaExceeded && outcome.pendingCount == 1)
        #expect(engine.status.blockedBy?.details["quota"] == "records")
        let kept = try SyncStatus(of: store)
        #expect(kept.blockedBy?.code == .quotaExceeded)
        #expect(kept.quotas == [ZoneQuota(name: "records", limit: 1, used: 0)])
        try limit(2, scenario)
        #expect(try await engine.synchronize().isCaughtUp)
        let other = try scenario.open("b.db")
        try await scenario.engine(other).synchronize()
        try scenario.expectConverged([store, other])
    }

    @Test func `pauses grow while a quota is used up, up to the longest of a server`() {
        let policy = SyncRetryPolicy()
        let quota = SyncError(.quotaExceeded, "Full.")
        #expect(
            (0..<5).map { policy.pause(afterRefusals: $0, for: quota) } == [
                .seconds(30), .seconds(60), .seconds(120), .seconds(240), .seconds(300),
            ])
        #expect(policy.pause(afterRefusals: 9, for: SyncError(.forbidden, "No.")) == .seconds(30))
    }
}
