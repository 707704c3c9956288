import AnabranchReplication
import Dispatch
import Foundation
import Synchronization

/// Runs seeds on all cores.
final class SeedRun: Sendable {
    typealias Failure = (seed: UInt64, text: String)

    private struct State {
        var next: UInt64
        var failures: [Failure] = []
        var statistics = RunStatistics()
    }

    struct Result: Sendable {
        /// What the failed seeds found, in their order.
        let failures: [Failure]
        let statistics: RunStatistics
    }

    private let end: UInt64
    private let disabled: Set<Mechanism>
    private let stopsAtFailure: Bool
    private let state: Mutex<State>

    private init(_ seeds: Range<UInt64>, disabled: Set<Mechanism>, stopsAtFailure: Bool) {
        self.stopsAtFailure = stopsAtFailure
        end = seeds.upperBound
        self.disabled = disabled
        state = Mutex(State(next: seeds.lowerBound))
    }

    /// - Parameter stopsAtFailure: Whether no further seed begins once one has failed.
    static func all(
        _ seeds: Range<UInt64>, disabled: Set<Mechanism> = [], stopsAtFailure: Bool = false
    ) async -> Result {
        let run = SeedRun(seeds, disabled: disabled, stopsAtFailure: stopsAtFailure)
        // Threads of their own: runs never wait, and tests beside them need the shared ones.
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                DispatchQueue.concurrentPerform(
                    iterations: ProcessInfo.processInfo.activeProcessorCount
                ) { _ in run.work() }
                continuation.resume()
            }
        }
        return run.state.withLock { state in
            Result(
                failures: state.failures.sorted { $0.seed < $1.seed },
                statistics: state.statistics)
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
            guard state.next < end, state.failures.isEmpty || !stopsAtFailure else { return nil }
            defer { state.next += 1 }
            return state.next
        }
    }
}
