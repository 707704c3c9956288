import AnabranchReplication
import Simulator
import TestSupport
import Testing

struct ShrinkingTests {
    @Test(.enabled(if: !SeedRange().isLong), .long)
    func `a failing scenario is cut down to a story that fits on a screen`() throws {
        let scenario = Scenario(seed: 2)
        let (shrinking, story) = try Mechanism.without([.journal]) {
            let shrinking = try #require(Shrinking(scenario))
            return (shrinking, shrinking.story)
        }
        #expect(shrinking.scenario.steps.count <= 8, "\(story)")
        #expect(shrinking.failure.contains("journal"))
        let lines = story.split(separator: "\n")
        // The story has one line for the world, one for each step, one for the final sync, and one
        // for the failure.
        let sync = lines.firstIndex { $0.hasPrefix("all sync") }
        #expect(sync == shrinking.scenario.steps.count + 1, "\(story)")
        #expect(lines.last?.contains(shrinking.failure) == true)
        #expect(lines.contains { $0.contains("save — ") && $0.contains("insert Half") })
    }

    @Test(.enabled(if: !SeedRange().isLong))
    func `a scenario that does not fail is not cut down`() {
        #expect(Shrinking(Scenario(seed: 1)) == nil)
    }
}
