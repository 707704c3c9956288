package import AnabranchReplication
import Dispatch
import Foundation
import Synchronization
import TestSupport

/// Runs seeds on all cores.
package final class SeedRun: Sendable {
    package typealias Failure = (seed: UInt64, text: String)

    private struct State {
        var next: UInt64
        var finishedCount = 0
        var failures: [Failure] = []
        var statistics = RunStatistics()
    }

    package struct Result: Sendable {
        package let seeds: Range<UInt64>
        /// Seeds that have run to their end: fewer where the run was stopped.
        package let finishedCount: Int
        /// What the failed seeds found, in their order.
        package let failures: [Failure]
        package let statistics: RunStatistics
        package let duration: Duration
    }

    private let seeds: Range<UInt64>
    private let storage: ZoneStorageKind?
    private let stopsAtFailure: Bool
    private let observer: RunObserver
    private let state: Mutex<State>

    private init(
        _ seeds: Range<UInt64>, storage: ZoneStorageKind?, stopsAtFailure: Bool,
        observer: RunObserver
    ) {
        self.storage = storage
        self.observer = observer
        self.stopsAtFailure = stopsAtFailure
        self.seeds = seeds
        state = Mutex(State(next: seeds.lowerBound))
    }

    /// - Parameter stopsAtFailure: Whether no further seed begins once one has failed.
    package static func all(
        _ seeds: Range<UInt64>, disabled: Set<Mechanism> = [], stopsAtFailure: Bool = false
    ) async -> Result {
        // The runs get their own threads. They never suspend, and other tests need the shared
        // threads.
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(
                    returning: waiting(
                        for: seeds, disabled: disabled, stopsAtFailure: stopsAtFailure))
            }
        }
    }

    /// Runs the seeds on the calling thread and on additional threads.
    package static func waiting(
        for seeds: Range<UInt64>, storage: ZoneStorageKind? = nil, disabled: Set<Mechanism> = [],
        stopsAtFailure: Bool = false, observer: RunObserver = RunObserver()
    ) -> Result {
        let start = ContinuousClock.now
        let run = SeedRun(
            seeds, storage: storage, stopsAtFailure: stopsAtFailure, observer: observer)
        DispatchQueue.concurrentPerform(
            iterations: ProcessInfo.processInfo.activeProcessorCount
        ) { _ in Mechanism.without(disabled) { run.work() } }
        return run.state.withLock { state in
            Result(
                seeds: seeds, finishedCount: state.finishedCount,
                failures: state.failures.sorted { $0.seed < $1.seed },
                statistics: state.statistics, duration: ContinuousClock.now - start)
        }
    }

    private func work() {
        while let seed = take() {
            do {
                let simulation = try Simulation(Scenario(seed: seed, storage: storage))
                try simulation.run()
                state.withLock { $0.statistics.add(simulation.statistics) }
            } catch {
                let isFirst = state.withLock { state in
                    state.failures.append((seed, "\(error)"))
                    return state.failures.count == 1
                }
                observer.didFail((seed, "\(error)"), isFirst)
            }
            let (finished, failed) = state.withLock { state in
                state.finishedCount += 1
                return (state.finishedCount, state.failures.count)
            }
            observer.didFinish(finished, failed)
        }
    }

    private func take() -> UInt64? {
        guard !observer.isStopped() else { return nil }
        return state.withLock { state in
            guard state.next < seeds.upperBound, state.failures.isEmpty || !stopsAtFailure else {
                return nil
            }
            defer { state.next += 1 }
            return state.next
        }
    }
}

extension SeedRun.Result: CustomStringConvertible {
    /// One line with the result.
    package var description: String {
        let count =
            finishedCount == seeds.count ? "\(seeds.count)" : "\(finishedCount) of \(seeds.count)"
        return "simulation: \(count) seeds from \(seeds.lowerBound), \(failures.count) failures, "
            + "\(Int(duration / .seconds(1))) s; \(statistics)"
    }

}

extension SeedRun.Result {
    /// The first failing seed, cut down to a few steps; `nil` if none has failed.
    package var firstStory: String? { failures.first.flatMap { SeedRun.story(of: $0.seed) } }
}

extension SeedRun {
    /// A failing seed, cut down to a few steps; `nil` if it does not fail.
    package static func story(of seed: UInt64, storage: ZoneStorageKind? = nil) -> String? {
        let scenario = Scenario(seed: seed, storage: storage)
        guard let shrinking = Shrinking(scenario) else { return nil }
        return "seed \(seed) cut down to \(shrinking.scenario.steps.count) steps:\n"
            + shrinking.story
    }
}
