/// The time and the replica of a write, which decide between concurrent writes.
///
/// All writes of one save share one stamp, and no two saves have equal stamps. Stamps are compared
/// by timestamp, then by the replica's bytes. The written value has no influence, so a server can
/// merge values that it can't read.
@usableFromInline package struct Stamp: Hashable, Sendable {
    @usableFromInline package let timestamp: HybridTimestamp
    /// The replica of the change set.
    @usableFromInline package let replica: ReplicaID

    @inlinable
    package init(timestamp: HybridTimestamp, replica: ReplicaID) {
        self.timestamp = timestamp
        self.replica = replica
    }
}

extension Stamp: Comparable {
    /// Orders stamps by timestamp, then by the replica's bytes.
    @inlinable
    package static func < (left: Stamp, right: Stamp) -> Bool {
        left.timestamp != right.timestamp
            ? left.timestamp < right.timestamp : left.replica < right.replica
    }
}

extension Stamp: CustomStringConvertible {
    /// The timestamp and the replica, separated by `@`.
    @usableFromInline package var description: String { "\(timestamp)@\(replica)" }
}
