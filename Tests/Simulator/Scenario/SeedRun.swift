package import AnabranchReplication
import Dispatch
import Foundation
import Synchronization

/// Runs seeds on all cores.
package final class SeedRun: Sendable {
    package typealias Failure = (seed: UInt64, text: String)

    private struct State {
        var next: UInt64
        var failures: [Failure] = []
        var statistics = RunStatistics()
    }

    package struct Result: Sendable {
        package let seeds: Range<UInt64>
        /// What the failed seeds found, in their order.
        package let failures: [Failure]
        package let statistics: RunStatistics
        package let duration: Duration
    }

    private let seeds: Range<UInt64>
    private let disabled: Set<Mechanism>
    private let stopsAtFailure: Bool
    private let state: Mutex<State>

    private init(_ seeds: Range<UInt64>, disabled: Set<Mechanism>, stopsAtFailure: Bool) {
        self.stopsAtFailure = stopsAtFailure
        self.seeds = seeds
        self.disabled = disabled
        state = Mutex(State(next: seeds.lowerBound))
    }

    /// - Parameter stopsAtFailure: Whether no further seed begins once one has failed.
    package static func all(
        _ seeds: Range<UInt64>, disabled: Set<Mechanism> = [], stopsAtFailure: Bool = false
    ) async -> Result {
        // Threads of their own: runs never wait, and tests beside them need the shared ones.
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(
                    returning: waiting(
                        for: seeds, disabled: disabled, stopsAtFailure: stopsAtFailure))
            }
        }
    }

    /// The same, on the thread that calls and others beside it.
    package static func waiting(
        for seeds: Range<UInt64>, disabled: Set<Mechanism> = [], stopsAtFailure: Bool = false
    ) -> Result {
        let start = ContinuousClock.now
        let run = SeedRun(seeds, disabled: disabled, stopsAtFailure: stopsAtFailure)
        DispatchQueue.concurrentPerform(
            iterations: ProcessInfo.processInfo.activeProcessorCount
        ) { _ in run.work() }
        return run.state.withLock { state in
            Result(
                seeds: seeds, failures: state.failures.sorted { $0.seed < $1.seed },
                statistics: state.statistics, duration: ContinuousClock.now - start)
        }
    }

    private func work() {
        while let seed = take() {
            do {
                let simulation = try Simulation(Scenario(seed: seed), disabled: disabled)
                try simulation.run()
                state.withLock { $0.statistics.add(simulation.statistics) }
            } catch {
                state.withLock { $0.failures.append((seed, "\(error)")) }
            }
        }
    }

    private func take() -> UInt64? {
        state.withLock { state in
            guard state.next < seeds.upperBound, state.failures.isEmpty || !stopsAtFailure else {
                return nil
            }
            defer { state.next += 1 }
            return state.next
        }
    }
}

extension SeedRun.Result: CustomStringConvertible {
    /// One line that sums up.
    package var description: String {
        "simulation: \(seeds.count) seeds from \(seeds.lowerBound), \(failures.count) failures, "
            + "\(Int(duration / .seconds(1))) s; \(statistics)"
    }

    /// The first failing seed, cut down to a few steps; `nil` where none has failed.
    package var firstStory: String? {
        guard let seed = failures.first?.seed,
            let shrinking = Shrinking(Scenario(seed: seed), disabled: [])
        else { return nil }
        return "seed \(seed) cut down to \(shrinking.scenario.steps.count) steps:\n"
            + shrinking.story
    }
}
