import AnabranchReplication
import Synchronization
import TestSupport

/// Time and randomness of one run, all from its seed.
package final class SimulatedWorld: Sendable {
    private struct State {
        var generator: SeededGenerator
        var milliseconds: Int64 = 1_700_000_000_000
    }

    private let state: Mutex<State>
    let traits: WorldTraits
    let disk: SimulatedDisk
    let history = SaveHistory()
    let knowledge = EqualKnowledge()
    let archive = ZoneArchive()
    let disabled: Set<Mechanism>
    /// Whether anybody listens to what happens.
    let hasStory: Bool

    init(_ scenario: Scenario, disabled: Set<Mechanism>, hasStory: Bool) {
        self.hasStory = hasStory
        state = Mutex(State(generator: SeededGenerator(seed: scenario.seed)))
        traits = scenario.traits
        disk = SimulatedDisk(seed: scenario.seed)
        self.disabled = disabled
    }

    var milliseconds: Int64 { state.withLock { $0.milliseconds } }

    func pass(_ milliseconds: Int64) { state.withLock { $0.milliseconds += milliseconds } }

    /// From here on all randomness follows from another seed.
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

    func bytes(_ count: Int) -> [UInt8] {
        state.withLock { state in
            (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &state.generator) }
        }
    }
}
