/// The name of one change set: its author's replica and its place among that replica's saves.
///
/// A replica numbers its change sets 1, 2, 3, … without gaps, so one number per replica tells
/// everything that is held of it.
///
/// Source: Preguiça et al., "Dotted Version Vectors", 2010, for the word.
public struct Dot: Hashable, Sendable {
    public let replica: ReplicaID
    /// From 1 to ``Limits/greatestSequence``.
    public let sequence: UInt64

    @inlinable
    public init(replica: ReplicaID, sequence: UInt64) {
        self.replica = replica
        self.sequence = sequence
    }

    /// The replica's set before this one; `nil` of the first.
    public var predecessor: Dot? {
        sequence > 1 ? Dot(replica: replica, sequence: sequence - 1) : nil
    }
}

extension Dot: Comparable {
    /// By the replica's bytes, then by sequence: an order for printing and for canonical forms,
    /// not for causality.
    public static func < (left: Dot, right: Dot) -> Bool {
        left.replica != right.replica
            ? left.replica < right.replica : left.sequence < right.sequence
    }
}

extension Dot: CustomStringConvertible {
    public var description: String { "\(replica):\(sequence)" }
}
