/// When and by whom a value was written: what decides between concurrent writes.
///
/// All writes of one save share one stamp. Stamps are compared by timestamp, then by the
/// replica's bytes, never by the value written, so that a server can merge values that it cannot
/// read. No two saves have equal stamps.
public struct Stamp: Hashable, Sendable {
    public let timestamp: HybridTimestamp
    public let replica: ReplicaID

    @inlinable
    public init(timestamp: HybridTimestamp, replica: ReplicaID) {
        self.timestamp = timestamp
        self.replica = replica
    }
}

extension Stamp: Comparable {
    @inlinable
    public static func < (left: Stamp, right: Stamp) -> Bool {
        left.timestamp != right.timestamp
            ? left.timestamp < right.timestamp : left.replica < right.replica
    }
}

extension Stamp: CustomStringConvertible {
    public var description: String { "\(timestamp)@\(replica)" }
}
