public import AnabranchProtocol
public import AnabranchReplication

/// A zone at one moment, for people and programs that watch it.
public struct ZoneDescription: Hashable, Sendable, Encodable {
    public struct Epoch: Hashable, Sendable, Encodable {
        /// 32 hexadecimal digits.
        public var id: String
        /// The position at which it left the epoch before it; zero for the first.
        public var forkPosition: UInt64
    }

    public var zone: String
    /// The present epoch.
    public var epoch: String
    public var position: UInt64
    /// All epochs, oldest first.
    public var epochs: [Epoch]
    public var records: Int64
    public var links: Int64
    public var replicas: Int64
    /// Bytes on disk.
    public var bytes: Int64
    /// Of the merged state as it is kept, 64 hexadecimal digits.
    public var checksum: String
}

/// The canonical hash of a zone's state, and which state that is.
public struct ZoneHash: Hashable, Sendable {
    public var hash: Digest
    public var head: ZoneHead
}

extension ZoneService {
    /// Counts what the zone holds. The work grows with the zone, once for each head of its log.
    public func information() throws(ProtocolError) -> ZoneDescription {
        try named {
            try storage.read { reader in
                let log = try reader.logState()
                let counts = try countsAtHead.value(at: log.head) { try reader.counts() }
                return ZoneDescription(
                    zone: name.string, epoch: log.head.epoch.description,
                    position: log.head.position,
                    epochs: log.history.epochs.map {
                        .init(id: $0.id.description, forkPosition: $0.forkPosition)
                    },
                    records: counts.records, links: counts.links, replicas: counts.replicas,
                    bytes: counts.bytes, checksum: try reader.checksum().description)
            }
        }
    }

    /// The canonical hash of the merged state. The work grows with the zone, once for each head of
    /// its log.
    public func canonicalHash() throws(ProtocolError) -> ZoneHash {
        try named {
            try storage.read { reader in
                let head = try reader.logState().head
                let hash = try hashes.value(at: head) {
                    var hash = CanonicalHash()
                    try reader.forEachRecord { hash.update($0) }
                    return hash.finish()
                }
                return ZoneHash(
                    hash: hash, head: ZoneHead(epoch: head.epoch, position: head.position))
            }
        }
    }
}
