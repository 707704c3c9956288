import AnabranchReplication

/// Stamps as a row keeps them, the tags of a link or those that deletes have seen: for each, eight
/// bytes of timestamp and a varint of the replica's ordinal.
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
        var reader = ByteReader(bytes)
        var stamps: [Stamp] = []
        while !reader.isAtEnd {
            let timestamp = HybridTimestamp(rawValue: try reader.readFixed64())
            let ordinal = Int64(truncatingIfNeeded: try reader.readVarint())
            stamps.append(Stamp(timestamp: timestamp, replica: try replica(ordinal)))
        }
        return stamps
    }
}
