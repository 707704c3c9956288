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

    /// The seeds whose failures were mistakes of the stores, of the zone or of an oracle. Each of
    /// the mistakes has a test of its own too, unless an oracle made it.
    @Test(
        .enabled(if: !SeedRange().isLong), .long,
        arguments: [
            615_265_955, 698_876_303, 1_328_991_967, 1_328_995_440, 1_329_001_359, 1_469_781_932,
            1_469_794_455, 1_469_803_139, 1_469_825_339, 2_787_046_941, 2_787_056_493, 3_005_071,
            3_458_141_687, 1_286_558_143, 1_147_787_671, 1_190_993_653, 1_190_995_557,
            2_773_915_707, 1_524_599_779,
        ] as [UInt64])
    func `a seed that has failed converges`(_ seed: UInt64) throws {
        try Simulation(Scenario(seed: seed, storage: .sqlite)).run()
    }

    /// The seeds that have failed with several daemons on one database.
    @Test(
        .enabled(if: !SeedRange().isLong),
        arguments: [
            66, 108, 734_354_555, 734_355_591, 926_658_631, 2_179_803_397, 2_179_805_463,
        ] as [UInt64])
    func `a seed that has failed with a database converges`(_ seed: UInt64) throws {
        try Simulation(Scenario(seed: seed, storage: .postgres)).run()
    }

    @Test(
        .enabled(if: !SeedRange().isLong),
        arguments: [(2, .sqlite), (24, .postgres), (40, .postgres)] as [(UInt64, ZoneStorageKind)])
    func `a seed replays`(_ seed: UInt64, _ storage: ZoneStorageKind) throws {
        let stories = try (0..<2).map { _ in
            let story = Story()
            try Simulation(Scenario(seed: seed, storage: storage), story: story).run()
            return story.lines
        }
        #expect(stories[0].count > 40)
        #expect(stories[0] == stories[1])
    }

    /// A program that runs many seeds needs no more memory than a program that runs one.
    @Test(.enabled(if: !SeedRange().isLong), arguments: UInt64(1)...3, ZoneStorageKind.allCases)
    func `nothing of a run stays in memory`(_ seed: UInt64, _ storage: ZoneStorageKind) throws {
        weak var world: SimulatedWorld?
        func run() throws {
            let simulation = try Simulation(Scenario(seed: seed, storage: storage))
            world = simulation.world
            try simulation.run()
        }
        try run()
        #expect(world == nil)
    }
}
