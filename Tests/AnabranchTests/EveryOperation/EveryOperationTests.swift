import Anabranch
import TestSupport
import Testing

/// A history with what it came to.
private struct HistoryRun {
    let settings: HouseSettings
    private(set) var steps: [HouseStep] = []
    /// What was not as it should be after the last step; empty if all was.
    private(set) var failure = ""

    private var dumb: DumbHouse
    private let house: House

    init(_ settings: HouseSettings) throws {
        self.settings = settings
        dumb = DumbHouse(settings)
        house = try House(settings)
    }

    /// Steps at random, until one comes to something else than it should.
    static func random(
        _ settings: HouseSettings, _ count: Int, seed: UInt64
    ) throws -> HistoryRun {
        var run = try HistoryRun(settings)
        var random = SeededGenerator(seed: seed)
        var next = 1
        for _ in 0..<count where run.failure.isEmpty {
            run.take(run.dumb.randomStep(&next, &random))
        }
        return run
    }

    /// The steps that mean something after those before them.
    static func replay(_ steps: [HouseStep], _ settings: HouseSettings) throws -> HistoryRun {
        var run = try HistoryRun(settings)
        for step in steps where run.failure.isEmpty && run.dumb.allows(step) { run.take(step) }
        return run
    }

    /// As few of the steps as still fail.
    func shrunk() throws -> HistoryRun {
        var smallest = self
        var size = max(smallest.steps.count / 2, 1)
        while true {
            var start = 0
            var isSmaller = false
            while start < smallest.steps.count {
                var steps = smallest.steps
                steps.removeSubrange(start..<min(start + size, steps.count))
                let run = try Self.replay(steps, settings)
                if run.failure.isEmpty {
                    start += size
                } else {
                    smallest = run
                    isSmaller = true
                }
            }
            if size == 1, !isSmaller { return smallest }
            if !isSmaller { size = max(size / 2, 1) }
        }
    }

    private mutating func take(_ step: HouseStep) {
        steps.append(step)
        let isRefused = dumb.isRefused(step)
        dumb.apply(step)
        do {
            do {
                try house.apply(step)
                if isRefused { failure = "It was not refused.\n" }
            } catch let error as SaveConflictError where error.code == .mergeConflict && isRefused {
            }
            try check(step)
        } catch {
            failure = "\(error)"
        }
    }

    private mutating func check(_ step: HouseStep) throws {
        for place in Place.allCases {
            if place != .child || dumb.isChildFresh {
                compare("\(place)", try house.lines(of: place), dumb[place].lines)
            } else if !dumb.isChildMixed {
                compare("\(place)", try house.heldLines(of: place), dumb[place].heldLines)
            }
        }
        if case .save = step {
            compare("stored", try house.storedLines(), DumbContext(above: dumb.store).lines)
        }
        if dumb.isEventOpen { return }
        let can = house.canUndo()
        compare("undo, redo", ["\(can.0)", "\(can.1)"], ["\(dumb.canUndo)", "\(dumb.canRedo)"])
    }

    private mutating func compare(_ what: String, _ found: [String], _ expected: [String]) {
        guard found != expected else { return }
        failure += "\(what):\n"
        for line in found.filter({ !expected.contains($0) }) { failure += "  is     \(line)\n" }
        for line in expected.filter({ !found.contains($0) }) { failure += "  should \(line)\n" }
    }
}

@Suite struct `Every operation against a dumb model` {
    @Test(arguments: TestLength.seeds(200))
    func `any history shows what it should, everywhere and after every step`(
        seed: UInt64
    ) throws {
        let settings = HouseSettings(
            mergesAutomatically: seed & 1 == 0, childMerges: seed & 2 == 0,
            looksUpMentions: seed & 4 == 0, isObserved: seed & 8 == 0)
        let run = try HistoryRun.random(settings, 60, seed: seed)
        guard !run.failure.isEmpty else { return }
        let small = try run.shrunk()
        let story = small.steps.map { "  \($0)" }.joined(separator: "\n")
        Issue.record("seed \(seed), \(settings):\n\(story)\n\(small.failure)")
    }
}
