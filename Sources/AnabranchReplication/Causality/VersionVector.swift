/// The highest sequence number held of every replica.
///
/// A replica's change sets are held without gaps, so one number for each replica is enough
/// (invariant 1). Entries are never removed: a pruned vector would never again equal one that was
/// not pruned.
///
/// A vector stands for a causal history, and histories have only a partial order. So
/// `VersionVector` is not `Comparable`.
///
/// Source: Parker et al., "Detection of Mutual Inconsistency in Distributed Systems", IEEE TSE
/// SE-9(3), 1983.
package struct VersionVector: Hashable, Sendable {
    private var sequences: [ReplicaID: UInt64] = [:]

    package init() {}

    /// Creates a vector from the last change set held of each replica.
    ///
    /// - Parameter heads: Dots in any order. A sequence number of zero means that nothing is held.
    package init(_ heads: some Sequence<Dot>) {
        for head in heads { insert(head) }
    }

    /// The highest sequence number held of a replica, or zero if nothing is held.
    package subscript(replica: ReplicaID) -> UInt64 { sequences[replica] ?? 0 }

    /// The last change set held of each replica, ordered by replica ID.
    package var heads: [Dot] {
        sequences.map { Dot(replica: $0.key, sequence: $0.value) }.sorted()
    }

    /// Records that the change set with this dot, and so every earlier one of its replica, is held.
    package mutating func insert(_ dot: Dot) {
        guard dot.sequence > self[dot.replica] else { return }
        sequences[dot.replica] = dot.sequence
    }
}

extension VersionVector: CustomStringConvertible {
    /// The heads in braces, for messages.
    package var description: String {
        "{" + heads.map(\.description).joined(separator: ", ") + "}"
    }
}
