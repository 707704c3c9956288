import AnabranchReplication

/// The tags of one link, as its row keeps them: for each, eight bytes of timestamp and a varint of
/// the replica's ordinal.
enum StoredTags {
    static func encoded(
        _ tags: LinkTags, ordinal: (ReplicaID) throws -> Int64
    ) throws -> [UInt8] {
        var writer = ByteWriter(reservingCapacity: tags.tags.count * 10)
        for tag in tags.tags {
            writer.append(fixed64: tag.timestamp.rawValue)
            writer.append(varint: UInt64(try ordinal(tag.replica)))
        }
        return writer.bytes
    }

    static func tags(
        decoding bytes: [UInt8], replica: (Int64) throws -> ReplicaID
    ) throws -> LinkTags {
        var reader = ByteReader(bytes)
        var tags: [Stamp] = []
        while !reader.isAtEnd {
            let timestamp = HybridTimestamp(rawValue: try reader.readFixed64())
            let ordinal = Int64(truncatingIfNeeded: try reader.readVarint())
            tags.append(Stamp(timestamp: timestamp, replica: try replica(ordinal)))
        }
        return LinkTags(tags)
    }
}
