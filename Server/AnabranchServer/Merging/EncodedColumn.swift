import AnabranchReplication

/// A column of a change set as the state keeps it: every value's bytes, one behind the other.
///
/// Values are the wire's tagged values, except that a reference, whose tag is the wire's, names
/// its replica by the zone's ordinal. Merging compares stamps and never looks into them.
struct EncodedColumn {
    /// The zone's number of the property.
    let property: Int64
    private let bytes: [UInt8]
    private let ends: [Int]

    init(property: Int64, values: [Value], writer: any ZoneWriting) throws {
        self.property = property
        var encoded = ByteWriter(reservingCapacity: values.count * 8)
        var ends: [Int] = []
        ends.reserveCapacity(values.count)
        for value in values {
            if case .reference(let record) = value {
                encoded.append(byte: ValueTag.reference)
                encoded.append(varint: UInt64(try writer.ordinal(of: record.replica)))
                encoded.append(varint: record.number)
            } else {
                encoded.append(tagged: value)
            }
            ends.append(encoded.count)
        }
        bytes = encoded.bytes
        self.ends = ends
    }

    subscript(row: Int) -> ArraySlice<UInt8> {
        bytes[(row == 0 ? 0 : ends[row - 1])..<ends[row]]
    }

    /// Reads one value back.
    ///
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
