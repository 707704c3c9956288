/// The name of one change set: its replica and its number among that replica's change sets.
///
/// A replica numbers its change sets 1, 2, 3, … without gaps. So the highest number held of a
/// replica says which of its change sets are held.
///
/// Source: Preguiça et al., "Dotted Version Vectors", 2010, for the word.
@usableFromInline package struct Dot: Hashable, Sendable {
    /// The replica that saved the change set.
    @usableFromInline package let replica: ReplicaID
    /// The number of the change set, from 1 to ``Limits/greatestSequence``.
    @usableFromInline package let sequence: UInt64

    /// Creates the name of a replica's change set with this number.
    @inlinable
    package init(replica: ReplicaID, sequence: UInt64) {
        self.replica = replica
        self.sequence = sequence
    }

    /// The name of the replica's previous change set, or `nil` for the first.
    package var predecessor: Dot? {
        sequence > 1 ? Dot(replica: replica, sequence: sequence - 1) : nil
    }
}

extension Dot: Comparable {
    /// Orders dots by the replica's bytes, then by number. This order is for printing and for
    /// canonical forms; it is no causal order.
    @usableFromInline package static func < (left: Dot, right: Dot) -> Bool {
        left.replica != right.replica
            ? left.replica < right.replica : left.sequence < right.sequence
    }
}

extension Dot: CustomStringConvertible {
    /// The replica and the number, separated by a colon.
    @usableFromInline package var description: String { "\(replica):\(sequence)" }
}
