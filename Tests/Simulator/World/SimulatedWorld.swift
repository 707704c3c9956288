import Synchronization
import TestSupport

/// The time and the randomness of one run, all determined by its seed.
package final class SimulatedWorld: Sendable {
    private struct State {
        var generator: SeededGenerator
        var milliseconds: Int64 = 1_700_000_000_000
        /// The number of requested identities.
        var identities: UInt64 = 0
    }

    private let state: Mutex<State>
    let traits: WorldTraits
    let disk: SimulatedDisk
    let history = SaveHistory()
    let knowledge = EqualKnowledge()
    let archive = ZoneArchive()
    /// Whether the run has a story that receives the events.
    let hasStory: Bool

    init(_ scenario: Scenario, hasStory: Bool) {
        self.hasStory = hasStory
        state = Mutex(State(generator: SeededGenerator(seed: scenario.seed)))
        traits = scenario.traits
        disk = SimulatedDisk(seed: scenario.seed)
    }

    var milliseconds: Int64 { state.withLock { $0.milliseconds } }

    func pass(_ milliseconds: Int64) { state.withLock { $0.milliseconds += milliseconds } }

    /// Derives all later randomness from another seed.
    func reseed(_ seed: UInt64) {
        state.withLock { $0.generator = SeededGenerator(seed: seed) }
    }

    func number(_ range: Range<Int>) -> Int {
        state.withLock { Int.random(in: range, using: &$0.generator) }
    }

    func draw() -> UInt64 { state.withLock { $0.generator.next() } }

    func oneIn(_ period: Int) -> Bool { state.withLock { $0.generator.oneIn(period) } }

    func element<Element>(of elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[number(0..<elements.count)]
    }

    /// Returns random bytes for a replica ID, or nothing if the world's source sometimes fails.
    ///
    /// The number of a request decides whether it fails, so that nothing else changes.
    func identityBytes(_ count: Int) -> [UInt8] {
        guard traits.hasFailingRandomness else { return bytes(count) }
        let number = state.withLock { state in
            state.identities += 1
            return state.identities
        }
        return number % 3 == 1 ? [] : bytes(count)
    }

    func bytes(_ count: Int) -> [UInt8] {
        state.withLock { state in
            (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &state.generator) }
        }
    }
}
