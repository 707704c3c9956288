/// The highest sequence number held of every replica.
///
/// A replica's change sets are held without gaps, so one number for each replica is enough
/// (invariant 1). Entries are never removed: a pruned vector would never again equal one that was
/// not pruned.
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

    /// Indicates whether no change set of any replica is held.
    package var isEmpty: Bool { sequences.isEmpty }

    /// The last change set held of each replica, ordered by replica ID.
    package var heads: [Dot] {
        sequences.map { Dot(replica: $0.key, sequence: $0.value) }.sorted()
    }

    /// Indicates whether the change set with this dot is held.
    package func contains(_ dot: Dot) -> Bool { dot.sequence <= self[dot.replica] }

    /// Records that the change set with this dot, and so every earlier one of its replica, is held.
    package mutating func insert(_ dot: Dot) {
        guard dot.sequence > self[dot.replica] else { return }
        sequences[dot.replica] = dot.sequence
    }

    /// Adds everything that the other vector holds.
    package mutating func formUnion(_ other: VersionVector) {
        sequences.merge(other.sequences) { max($0, $1) }
    }

    /// Returns the vector that holds what either of the two holds.
    package func union(_ other: VersionVector) -> VersionVector {
        var united = self
        united.formUnion(other)
        return united
    }

    /// Indicates whether this vector holds everything that the other one holds.
    package func isSuperset(of other: VersionVector) -> Bool {
        other.sequences.allSatisfy { self[$0.key] >= $0.value }
    }

    /// Compares two vectors as causal histories.
    ///
    /// - Returns: `after` if this vector holds everything that `other` holds, and more.
    package func order(relativeTo other: VersionVector) -> CausalOrder {
        switch (isSuperset(of: other), other.isSuperset(of: self)) {
        case (true, true): .same
        case (true, false): .after
        case (false, true): .before
        case (false, false): .concurrent
        }
    }
}

extension VersionVector: CustomStringConvertible {
    /// The heads in braces, for messages.
    package var description: String {
        "{" + heads.map(\.description).joined(separator: ", ") + "}"
    }
}
