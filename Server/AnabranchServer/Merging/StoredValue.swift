import AnabranchReplication

/// A value as a zone keeps it: the wire's tagged value, except that a reference, whose tag is the
/// wire's, names its replica by the zone's ordinal.
enum StoredValue {
    static func append(
        _ value: Value, to bytes: inout ByteWriter, ordinal: (ReplicaID) throws -> Int64
    ) throws {
        guard case .reference(let record) = value else { return bytes.append(tagged: value) }
        bytes.append(byte: ValueTag.reference)
        bytes.append(varint: UInt64(try ordinal(record.replica)))
        bytes.append(varint: record.number)
    }

    /// - Parameter replica: The replica with an ordinal.
    static func value(
        decoding bytes: ArraySlice<UInt8>, replica: (Int64) throws -> ReplicaID
    ) throws -> Value {
        var reader = ByteReader(Array(bytes))
        guard bytes.first == ValueTag.reference else { return try reader.readTagged() }
        _ = try reader.readByte()
        let ordinal = try reader.readVarint()
        let number = try reader.readVarint()
        return .reference(
            RecordID(
                replica: try replica(Int64(truncatingIfNeeded: ordinal)), number: number))
    }
}
