import AnabranchReplication

/// The stored form of stamps: the tags of a link, or the stamps that deletes had seen.
///
/// Each stamp is eight bytes of timestamp and a varint of the replica's ordinal. In an ordered
/// relationship two blocks follow each stamp: the link's position in the list of the left record,
/// and in the list of the right record. A block is empty if that record has no such list.
enum StoredTags {
    static func encoded(
        _ stamps: [Stamp], ordinal: (ReplicaID) throws -> Int64
    ) throws -> [UInt8] {
        var writer = ByteWriter(reservingCapacity: stamps.count * 10)
        for stamp in stamps {
            writer.append(fixed64: stamp.timestamp.rawValue)
            writer.append(varint: UInt64(try ordinal(stamp.replica)))
        }
        return writer.bytes
    }

    static func stamps(
        decoding bytes: [UInt8], replica: (Int64) throws -> ReplicaID
    ) throws -> [Stamp] {
        try StorageError.decoding("the stamps of a link or of deletes") {
            var reader = ByteReader(bytes)
            var stamps: [Stamp] = []
            while !reader.isAtEnd { stamps.append(try stamp(&reader, replica)) }
            return stamps
        }
    }

    static func encoded(
        _ tags: LinkTags, of property: WireProperty, ordinal: (ReplicaID) throws -> Int64
    ) throws -> [UInt8] {
        guard property.rule == .list else { return try encoded(tags.tags, ordinal: ordinal) }
        var writer = ByteWriter(reservingCapacity: tags.all.count * 32)
        for tag in tags.all {
            writer.append(fixed64: tag.stamp.timestamp.rawValue)
            writer.append(varint: UInt64(try ordinal(tag.stamp.replica)))
            writer.append(place: tag.place)
        }
        return writer.bytes
    }

    static func tags(
        decoding bytes: [UInt8], of property: WireProperty, replica: (Int64) throws -> ReplicaID
    ) throws -> LinkTags {
        guard property.rule == .list else {
            return LinkTags(try stamps(decoding: bytes, replica: replica))
        }
        return try StorageError.decoding("the tags of a link") {
            var reader = ByteReader(bytes)
            var tags: [LinkTags.Tag] = []
            while !reader.isAtEnd {
                let stamp = try stamp(&reader, replica)
                tags.append(.init(stamp, at: try reader.readPlace()))
            }
            return LinkTags(placed: tags)
        }
    }

    private static func stamp(
        _ reader: inout ByteReader, _ replica: (Int64) throws -> ReplicaID
    ) throws -> Stamp {
        let timestamp = HybridTimestamp(rawValue: try reader.readFixed64())
        return Stamp(
            timestamp: timestamp, replica: try replica(Int64(clamping: reader.readVarint())))
    }
}
