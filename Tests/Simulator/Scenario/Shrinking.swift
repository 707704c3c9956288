package import AnabranchReplication

/// Cuts a failing scenario down to a small one that still fails.
///
/// Ever smaller parts of the list are left out as long as the rest fails, then the world is made
/// kinder. That another failure takes the first one's place is welcome: it is one too.
///
/// Source: Zeller, Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", IEEE TSE
/// 28(2), 2002.
package struct Shrinking {
    package private(set) var scenario: Scenario
    package private(set) var failure: String
    private let disabled: Set<Mechanism>
    private var runsLeft: Int

    /// - Returns: `nil` where the scenario does not fail.
    package init?(_ scenario: Scenario, disabled: Set<Mechanism>, mostRuns: Int = 1_000) {
        guard let failure = Self.failure(of: scenario, disabled: disabled) else { return nil }
        self.scenario = scenario
        self.failure = failure
        self.disabled = disabled
        runsLeft = mostRuns
        shrinkTraits()
        shrinkSteps()
        shrinkTraits()
    }

    private static func failure(of scenario: Scenario, disabled: Set<Mechanism>) -> String? {
        do {
            try Simulation(scenario, disabled: disabled).run()
            return nil
        } catch {
            return "\(error)"
        }
    }

    private mutating func take(_ smaller: Scenario) -> Bool {
        guard runsLeft > 0 else { return false }
        runsLeft -= 1
        guard let failure = Self.failure(of: smaller, disabled: disabled) else { return false }
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

    /// - Returns: Whether one was left out.
    private mutating func leaveOutParts(of size: Int) -> Bool {
        var hasShrunk = false
        // From the end: what is last matters least often.
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

    /// What happens in the small scenario, one line a step, and what is wrong in the end.
    package var story: String {
        let story = Story()
        do {
            try Simulation(scenario, disabled: disabled, story: story).run()
        } catch {
            story.tell("found: \(error)")
        }
        return story.lines.joined(separator: "\n")
    }
}

extension WorldTraits {
    /// Worlds that lack one difficulty of this one.
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
        add(hasZoneRestores) { $0.hasZoneRestores = false }
        add(apps != .plain) { $0.apps = .plain }
        add(replicaCount > 1) { $0.replicaCount -= 1 }
        return worlds
    }
}

/// What happens in a run, told for people.
package final class Story {
    package private(set) var lines: [String] = []

    package init() {}

    func tell(_ line: String) { lines.append(line) }
}
