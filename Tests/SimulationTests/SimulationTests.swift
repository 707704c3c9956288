import AnabranchReplication
import Simulator
import TestSupport
import Testing

struct SimulationTests {
    @Test func `every seed converges with nothing lost and nothing half visible`() async {
        let range = SeedRange()
        if range.isLong { SimulatedDisk.leaveMemoryUncounted() }
        let result = await SeedRun.all(range.seeds)
        for (seed, failure) in result.failures { Issue.record("seed \(seed): \(failure)") }
        if let story = result.firstStory { print(story) }
        print(result)
        if range.seeds.count >= 50 {
            #expect(result.statistics.missing.isEmpty, "this never happened")
        }
    }

    @Test(.enabled(if: !SeedRange().isLong))
    func `a seed replays`() throws {
        let stories = try (0..<2).map { _ in
            let story = Story()
            try Simulation(Scenario(seed: 2), story: story).run()
            return story.lines
        }
        #expect(stories[0].count > 100)
        #expect(stories[0] == stories[1])
    }

    /// A program that runs many seeds needs no more memory than a program that runs one.
    @Test(.enabled(if: !SeedRange().isLong), arguments: UInt64(1)...3)
    func `nothing of a run stays in memory`(_ seed: UInt64) throws {
        weak var world: SimulatedWorld?
        func run() throws {
            let simulation = try Simulation(Scenario(seed: seed))
            world = simulation.world
            try simulation.run()
        }
        try run()
        #expect(world == nil)
    }
}
