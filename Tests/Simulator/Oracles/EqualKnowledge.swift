package import AnabranchReplication
import Synchronization

/// Whoever holds the same sets in the same forms has the same state (invariant 7), at any time.
package final class EqualKnowledge: Sendable {
    private let states = Mutex<[Digest: (hash: Digest, place: String)]>([:])

    package init() {}

    /// - Parameter digests: Of all sets that are held; the order does not matter.
    package func check(_ digests: [[UInt8]], hash: Digest, in place: String) throws {
        let key = Digest(
            of: digests.sorted { $0.lexicographicallyPrecedes($1) }.flatMap { $0 })
        let known = states.withLock { states in
            if states[key] == nil { states[key] = (hash, place) }
            return states[key]
        }
        guard let known, known.hash != hash else { return }
        throw SimulationFailure("\(place) and \(known.place) hold the same sets and differ")
    }
}
