/// The identity of a record, the same on every replica, on the server and on the wire, from its
/// insertion on.
///
/// It consists of the replica that inserted the record and a number from that replica's one counter
/// for all entities. A deleted identity is never inserted again.
public struct RecordID: Hashable, Sendable {
    /// The replica that inserted the record.
    @usableFromInline package let replica: ReplicaID
    /// The number of the record, from 1 to 2^40 − 1. Gaps are normal.
    @usableFromInline package let number: UInt64

    @inlinable
    package init(replica: ReplicaID, number: UInt64) {
        self.replica = replica
        self.number = number
    }
}

extension RecordID: Comparable {
    /// Orders identities by the replica's bytes, then by number. This is the order of the canonical
    /// form, and it decides between records with equal stamps.
    @inlinable
    public static func < (left: RecordID, right: RecordID) -> Bool {
        left.replica != right.replica ? left.replica < right.replica : left.number < right.number
    }
}

extension RecordID: CustomStringConvertible {
    /// The replica and the number, separated by a slash.
    public var description: String { "\(replica)/\(number)" }
}
