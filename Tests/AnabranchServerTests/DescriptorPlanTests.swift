import Testing

@testable import AnabranchServer

@Suite struct DescriptorPlanTests {
    private func plan(
        _ limit: Int, connections: Int = 10_000, zones: Int = 256, database: Int? = nil
    ) -> DescriptorPlan {
        var options = SyncServer.Options()
        options.http.connections = connections
        options.openZones = zones
        return DescriptorPlan(
            limit: limit, for: options, databaseConnections: database, hookCalls: 0)
    }

    /// The greatest number of descriptors that connections and zones take together.
    private func used(_ plan: DescriptorPlan) -> Int {
        plan.options.http.connections + plan.options.mostOpenZones * DescriptorPlan.ofZone
    }

    @Test func `a high limit leaves the settings as they are`() {
        let plan = plan(20_000)
        #expect(plan.warnings.isEmpty)
        #expect(plan.options.http.connections == 10_000)
        #expect(plan.options.openZones == 256)
        #expect(plan.options.mostOpenZones > 256)
    }

    @Test(arguments: [64, 128, 256, 1024, 4096, 10_000, 13_000])
    func `a low limit lowers them, says so, and leaves descriptors for the rest`(limit: Int) {
        let plan = plan(limit)
        #expect(!plan.warnings.isEmpty)
        #expect(plan.warnings.allSatisfy { $0.contains("only \(limit) files") })
        #expect(used(plan) <= max(limit - DescriptorPlan.ofServer, limit / 2))
        #expect(plan.options.openZones <= plan.options.mostOpenZones)
        #expect(plan.options.http.connections >= limit / 5)
        #expect(plan.options.mostOpenZones >= max(limit / 64, 1))
    }

    @Test func `zones of a database take no descriptors, its connections do`() {
        let plan = plan(1024, database: 16)
        #expect(plan.warnings.isEmpty == false)
        #expect(plan.options.http.connections == 1024 - DescriptorPlan.ofServer - 18)
        #expect(plan.options.openZones == 256)
    }
}
