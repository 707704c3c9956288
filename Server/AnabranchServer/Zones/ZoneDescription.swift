public import AnabranchProtocol
package import AnabranchReplication

/// A description of a zone at one moment, for people and for monitoring.
public struct ZoneDescription: Hashable, Sendable, Encodable {
    /// One epoch of the zone's log.
    public struct Epoch: Hashable, Sendable, Encodable {
        /// The epoch's ID, 32 hexadecimal digits.
        public var id: String
        /// The position at which it branched from the previous epoch; zero for the first.
        public var forkPosition: UInt64
    }

    /// A quota of the zone.
    public struct Quota: Hashable, Sendable, Encodable {
        /// The limited quantity, such as `records`.
        public var quota: String
        /// The greatest amount.
        public var limit: UInt64
        /// The used amount.
        public var used: UInt64
    }

    /// The zone's name.
    public var zone: String
    /// The ID of the present epoch.
    public var epoch: String
    /// The position of the log's last entry.
    public var position: UInt64
    /// All epochs, oldest first.
    public var epochs: [Epoch]
    /// The number of records that are not dead.
    public var records: Int64
    /// The number of links.
    public var links: Int64
    /// The number of replicas that have pushed, or that a record or stamp mentions.
    public var replicas: Int64
    /// The number of bytes of the zone's file, or of its values in a database.
    public var bytes: Int64
    /// The stored checksum of the merged state, in hexadecimal digits.
    public var checksum: String
    /// The quotas, the server's defaults included.
    public var quotas: [Quota]
}

/// The canonical hash of a zone's state, and the head of that state.
package struct ZoneHash: Hashable, Sendable {
    package var hash: Digest
    /// The head of the log to which the state belongs.
    package var head: ZoneHead
}

extension ZoneService {
    /// Describes the zone. All links are counted, and the count is cached until the log grows.
    ///
    /// - Throws: `overloaded` while all of the zone is read for another request: try again.
    public func information() throws(ProtocolError) -> ZoneDescription {
        try named {
            try storage.read { reader in
                let log = try reader.logState()
                let use = try reader.use()
                let links = try linkCountAtHead.value(at: log.head, jobs, in: name) {
                    try reader.linkCount()
                }
                return ZoneDescription(
                    zone: name.string, epoch: log.head.epoch.description,
                    position: log.head.position,
                    epochs: log.history.epochs.map {
                        .init(id: $0.id.description, forkPosition: $0.forkPosition)
                    },
                    records: use.records, links: links, replicas: use.replicas,
                    bytes: storage.fileBytes ?? use.bytes,
                    checksum: try reader.checksum().description,
                    quotas: try quotaUses(reader).map {
                        .init(quota: $0.name, limit: $0.limit, used: $0.used)
                    })
            }
        }
    }

    /// The canonical hash of the merged state.
    ///
    /// The whole state is read, and the hash is cached until the log grows.
    ///
    /// - Parameter memory: The memory for one record at a time; `nil` for no limit.
    ///
    /// - Throws: `overloaded` while all of the zone is read for another request: try again.
    ///   `recordTooLarge` if the links of a record need too much memory.
    package func canonicalHash(_ memory: RequestMemory? = nil) throws(ProtocolError) -> ZoneHash {
        try named {
            let room = memory.map(DecodingRoom.ofReading)
            defer { room?.release() }
            return try storage.read { reader in
                let head = try reader.logState().head
                let hash = try hashes.value(at: head, jobs, in: name) {
                    var hash = CanonicalHash()
                    try reader.forEachRecord(in: .all, in: room) { record in
                        hash.update(record)
                        return true
                    }
                    return hash.finish()
                }
                return ZoneHash(
                    hash: hash, head: ZoneHead(epoch: head.epoch, position: head.position))
            }
        }
    }
}
