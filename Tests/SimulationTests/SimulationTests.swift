import AnabranchReplication
import TestSupport
import Testing

struct SimulationTests {
    @Test func `every seed converges with nothing lost and nothing half visible`() async {
        let range = SeedRange()
        if range.isLong { SimulatedDisk.leaveMemoryUncounted() }
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

    @Test(.enabled(if: !SeedRange().isLong))
    func `a seed replays`() throws {
        let stories = try (0..<2).map { _ in
            let story = Story()
            try Simulation(Scenario(seed: 7), story: story).run()
            return story.lines
        }
        #expect(stories[0].count > 100)
        #expect(stories[0] == stories[1])
    }
}
