import Anabranch
import TestSupport
import Testing

/// A history of steps and its result.
private struct HistoryRun {
    let settings: StackSettings
    private(set) var steps: [StackStep] = []
    /// The differences after the last step; empty if there are none.
    private(set) var failure = ""

    private var reference: ReferenceStack
    private let stack: ContextStack

    init(_ settings: StackSettings) throws {
        self.settings = settings
        reference = ReferenceStack(settings)
        stack = try ContextStack(settings)
    }

    /// Runs random steps until one gives a wrong result.
    static func random(
        _ settings: StackSettings, _ count: Int, seed: UInt64
    ) throws -> HistoryRun {
        var run = try HistoryRun(settings)
        var random = SeededGenerator(seed: seed)
        var next = 1
        for _ in 0..<count where run.failure.isEmpty {
            run.take(run.reference.randomStep(&next, &random))
        }
        return run
    }

    /// Runs those of the steps that are valid after the steps before them.
    static func replay(_ steps: [StackStep], _ settings: StackSettings) throws -> HistoryRun {
        var run = try HistoryRun(settings)
        for step in steps where run.failure.isEmpty && run.reference.allows(step) { run.take(step) }
        return run
    }

    /// Returns a failing history with as few of the steps as possible.
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

    private mutating func take(_ step: StackStep) {
        steps.append(step)
        let isRefused = reference.isRefused(step)
        reference.apply(step)
        do {
            do {
                try stack.apply(step)
                if isRefused { failure = "It was not refused.\n" }
            } catch let error as SaveConflictError where error.code == .mergeConflict && isRefused {
            }
            try check(step)
        } catch {
            failure = "\(error)"
        }
    }

    private mutating func check(_ step: StackStep) throws {
        for place in Place.allCases {
            if place != .child || reference.isChildFresh {
                compare("\(place)", try stack.lines(of: place), reference[place].lines)
            } else if !reference.isChildMixed {
                compare("\(place)", try stack.heldLines(of: place), reference[place].heldLines)
            }
        }
        if case .save = step {
            compare(
                "stored", try stack.storedLines(), ReferenceContext(above: reference.store).lines)
        }
        if reference.isEventOpen { return }
        let can = stack.canUndo()
        compare(
            "undo, redo", ["\(can.0)", "\(can.1)"],
            ["\(reference.canUndo)", "\(reference.canRedo)"])
    }

    private mutating func compare(_ what: String, _ found: [String], _ expected: [String]) {
        guard found != expected else { return }
        failure += "\(what):\n"
        for line in found.filter({ !expected.contains($0) }) { failure += "  is     \(line)\n" }
        for line in expected.filter({ !found.contains($0) }) { failure += "  should \(line)\n" }
    }
}

@Suite struct `Every operation against a reference model` {
    @Test(arguments: TestLength.seeds(200))
    func `any history shows what it should, everywhere and after every step`(
        seed: UInt64
    ) throws {
        let settings = StackSettings(
            mergesAutomatically: seed & 1 == 0, childMerges: seed & 2 == 0,
            looksUpMentions: seed & 4 == 0, isObserved: seed & 8 == 0)
        let run = try HistoryRun.random(settings, 60, seed: seed)
        guard !run.failure.isEmpty else { return }
        let small = try run.shrunk()
        let story = small.steps.map { "  \($0)" }.joined(separator: "\n")
        Issue.record("seed \(seed), \(settings):\n\(story)\n\(small.failure)")
    }
}
