package import AnabranchReplication
import Synchronization

/// Checks that any two replicas that hold the same change sets in the same forms have the same
/// state (invariant 7), at any time.
package final class EqualKnowledge: Sendable {
    private let states = Mutex<[Digest: (hash: Digest, place: String)]>([:])

    package init() {}

    /// Records the state of a replica and compares it with the earlier states of the same
    /// knowledge.
    ///
    /// - Parameter digests: The digests of all change sets that the replica holds, in any order.
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
