import Foundation
import Synchronization
import TestSupport

/// One way to take a daemon down.
struct SiegeAttack: Sendable {
    let name: String
    /// Attacks once, in a few seconds at most. It throws if the daemon answers otherwise than the
    /// attack expects, or ends all its connections early: then the attack was not carried out.
    let attack: @Sendable (SiegeTarget, inout SeededGenerator) throws -> Void

    static let all = connections + messages

    /// Carries the attack out once.
    ///
    /// A try may be refused: the hook may be too slow, and the connections of the attack before
    /// may still be open.
    func carryOut(on target: SiegeTarget, _ generator: inout SeededGenerator) throws {
        for _ in 0..<20 {
            guard (try? attack(target, &generator)) == nil else { return }
            usleep(500_000)
        }
        try attack(target, &generator)
    }
}

/// A thread for each attack, which repeats it until the siege is lifted.
final class Siege: Sendable {
    private let isLifted = Atomic(false)
    private let running = DispatchGroup()
    private let counts = Mutex<[String: Count]>([:])

    struct Count: Sendable {
        /// The attacks that were carried out.
        var made = 0
        /// The attacks that the daemon has refused, by the answer that they did not expect.
        var refused: [String: Int] = [:]
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
        do {
            try attack.attack(target, &generator)
            counts.withLock { $0[attack.name, default: Count()].made += 1 }
        } catch {
            counts.withLock {
                $0[attack.name, default: Count()].refused["\(error)", default: 0] += 1
            }
            usleep(50_000)
        }
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

extension Siege.Count: CustomStringConvertible {
    var description: String {
        let answers = refused.sorted { $0.value > $1.value }
            .map { "\($0.value) times: \($0.key)" }.joined(separator: "; ")
        let number = refused.values.reduce(0, +)
        return "made \(made) times, refused \(number) times"
            + (answers.isEmpty ? "" : " (\(answers))")
    }
}
