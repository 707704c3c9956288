import AnabranchReplication
import Testing

struct SimulationTests {
    @Test func `every seed converges with nothing lost and nothing half visible`() async {
        let range = SeedRange()
        let start = ContinuousClock.now
        let result = await SeedRun.all(range.seeds)
        let failures = result.failures
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        for (seed, failure) in failures { Issue.record("seed \(seed): \(failure)") }
        if let (seed, _) = failures.first,
            let shrinking = Shrinking(Scenario(seed: seed), disabled: [])
        {
            print("seed \(seed) cut down to \(shrinking.scenario.steps.count) steps:")
            print(shrinking.story)
        }
        print(
            "simulation: \(range.seeds.count) seeds from \(range.seeds.lowerBound), "
                + "\(failures.count) failures, \(Int(seconds)) s; \(result.statistics)")
        if range.seeds.count >= 50 {
            #expect(result.statistics.missing.isEmpty, "this never happened")
        }
    }

    /// The test of the test: without one of these the simulator must find a failure.
    @Test(
        .enabled(if: !SeedRange().isLong),
        arguments: Mechanism.allCases)
    func `a run fails soon where a mechanism is switched off`(_ mechanism: Mechanism) async {
        let count: UInt64 = 40
        let failures = await SeedRun.all(1..<1 + count, disabled: [mechanism]).failures
        #expect(!failures.isEmpty, "\(count) seeds do not notice that \(mechanism) is off")
        print("without \(mechanism): \(failures.count) of \(count) seeds fail")
    }

    @Test func `a seed replays`() throws {
        // Two runs that differ in anything differ in the network's and the world's draws.
        let draws = try (0..<2).map { _ in
            let simulation = try Simulation(Scenario(seed: 7))
            try simulation.run()
            return simulation.world.draw()
        }
        #expect(draws[0] == draws[1])
    }
}
