/// Shrinks a failing scenario to a small one that still fails.
///
/// It removes ever smaller parts of the list as long as the rest fails, then it removes
/// difficulties from the world. The smaller scenario may fail in another way: that is a failure
/// too.
///
/// Source: Zeller, Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", IEEE TSE 28(2),
/// 2002.
package struct Shrinking {
    package private(set) var scenario: Scenario
    package private(set) var failure: String
    private var runsLeft: Int

    /// Shrinks the scenario.
    ///
    /// - Returns: `nil` if the scenario does not fail.
    package init?(_ scenario: Scenario, maximumRuns: Int = 1_000) {
        guard let failure = Self.failure(of: scenario) else { return nil }
        self.scenario = scenario
        self.failure = failure
        runsLeft = maximumRuns
        shrinkTraits()
        shrinkSteps()
        shrinkTraits()
    }

    private static func failure(of scenario: Scenario) -> String? {
        do {
            try Simulation(scenario).run()
            return nil
        } catch {
            return "\(error)"
        }
    }

    private mutating func take(_ smaller: Scenario) -> Bool {
        guard runsLeft > 0 else { return false }
        runsLeft -= 1
        guard let failure = Self.failure(of: smaller) else { return false }
        scenario = smaller
        self.failure = failure
        return true
    }

    private mutating func shrinkTraits() {
        for traits in scenario.traits.kinder {
            var kinder = scenario
            kinder.traits = traits
            if take(kinder) { return shrinkTraits() }
        }
    }

    private mutating func shrinkSteps() {
        var size = max(scenario.steps.count / 2, 1)
        while true {
            let hasShrunk = leaveOutParts(of: size)
            if size == 1, !hasShrunk { return }
            size = max(hasShrunk ? size : size / 2, 1)
            guard runsLeft > 0 else { return }
        }
    }

    /// Removes each part of the given size that is not needed for a failure.
    ///
    /// - Returns: Whether a part was removed.
    private mutating func leaveOutParts(of size: Int) -> Bool {
        var hasShrunk = false
        // Parts are removed from the end: the last steps matter least often.
        var end = scenario.steps.count
        while end > 0 {
            let start = max(end - size, 0)
            var smaller = scenario
            smaller.steps.removeSubrange(start..<end)
            if take(smaller) { hasShrunk = true }
            end = start
        }
        return hasShrunk
    }

    /// The events of the small scenario, one line for each step, and the failure.
    package var story: String {
        let story = Story()
        do {
            try Simulation(scenario, story: story).run()
        } catch {
            story.tell("found: \(error)")
        }
        return story.lines.joined(separator: "\n")
    }
}

extension WorldTraits {
    /// The worlds that lack one difficulty of this one.
    var kinder: [WorldTraits] {
        var worlds: [WorldTraits] = []
        func add(_ isHarder: Bool, _ change: (inout WorldTraits) -> Void) {
            guard isHarder else { return }
            var world = self
            change(&world)
            worlds.append(world)
        }
        add(faultPeriod != 0) { $0.faultPeriod = 0 }
        add(!tellsFilesApart) { $0.tellsFilesApart = true }
        add(clockLead > Self.leastClockLead) { $0.clockLead = Self.leastClockLead }
        add(rejectionPeriod != 0) { $0.rejectionPeriod = 0 }
        add(mixesDurability) { $0.mixesDurability = false }
        add(hasFailingRandomness) { $0.hasFailingRandomness = false }
        add(hasZoneRestores) { $0.hasZoneRestores = false }
        add(storage != .sqlite) { $0.storage = .sqlite }
        add(storage != .sqlite && databaseFaultPeriod > 0) { $0.databaseFaultPeriod = 0 }
        add(apps != .plain) { $0.apps = .plain }
        add(replicaCount > 1) { $0.replicaCount -= 1 }
        return worlds
    }
}

/// The events of a run as text for people.
package final class Story {
    package private(set) var lines: [String] = []

    package init() {}

    func tell(_ line: String) { lines.append(line) }
}
