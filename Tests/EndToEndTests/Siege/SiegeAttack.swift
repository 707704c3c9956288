import Foundation
import Synchronization
import TestSupport

/// One way to take a daemon down.
struct SiegeAttack: Sendable {
    let name: String
    /// Attacks once, in a few seconds at most. It throws if the daemon refuses, or ends a
    /// connection early.
    let attack: @Sendable (SiegeTarget, inout SeededGenerator) throws -> Void

    static let all = connections + messages
}

/// A thread for each attack, which repeats it until the siege is lifted.
final class Siege: Sendable {
    private let isLifted = Atomic(false)
    private let running = DispatchGroup()
    private let counts = Mutex<[String: Count]>([:])

    struct Count: Sendable {
        /// The attacks that were carried out.
        var made = 0
        /// The attacks that the daemon has refused.
        var refused = 0
    }

    init(of target: SiegeTarget, seed: UInt64, _ attacks: [SiegeAttack] = SiegeAttack.all) {
        for (number, attack) in attacks.enumerated() {
            running.enter()
            let thread = Thread { [self] in
                var generator = SeededGenerator(seed: seed &+ UInt64(number))
                while !isLifted.load(ordering: .relaxed) {
                    repeatOnce(attack, target, &generator)
                }
                running.leave()
            }
            thread.name = attack.name
            thread.start()
        }
    }

    private func repeatOnce(
        _ attack: SiegeAttack, _ target: SiegeTarget, _ generator: inout SeededGenerator
    ) {
        let isMade = (try? attack.attack(target, &generator)) != nil
        counts.withLock {
            if isMade {
                $0[attack.name, default: Count()].made += 1
            } else {
                $0[attack.name, default: Count()].refused += 1
            }
        }
        if !isMade { usleep(50_000) }
    }

    /// Ends the attacks and waits for their connections to close.
    ///
    /// - Returns: How often each attack was made.
    func lift() -> [String: Count] {
        isLifted.store(true, ordering: .relaxed)
        running.wait()
        return counts.withLock { $0 }
    }
}
