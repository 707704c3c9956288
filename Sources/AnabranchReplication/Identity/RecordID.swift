/// Which record, the same on every replica, on the server and on the wire, from its insertion on.
///
/// The replica is the one that inserted it; the number comes from that replica's one counter for
/// all entities. A deleted identity is never inserted again.
public struct RecordID: Hashable, Sendable {
    public let replica: ReplicaID
    /// From 1 to ``Limits/greatestRecordNumber``; gaps are normal.
    public let number: UInt64

    @inlinable
    public init(replica: ReplicaID, number: UInt64) {
        self.replica = replica
        self.number = number
    }
}

extension RecordID: Comparable {
    /// By the replica's bytes, then by number: the order of the canonical form, and what decides
    /// between records whose stamps are equal.
    @inlinable
    public static func < (left: RecordID, right: RecordID) -> Bool {
        left.replica != right.replica ? left.replica < right.replica : left.number < right.number
    }
}

extension RecordID: CustomStringConvertible {
    public var description: String { "\(replica)/\(number)" }
}
