import AnabranchReplication
import Foundation

/// The stored form of a value.
///
/// It is the wire's tagged value, except for a reference: this has the wire's tag, but it names its
/// replica by the zone's ordinal.
enum StoredValue {
    static func append(
        _ value: PropertyValue, to bytes: inout ByteWriter, ordinal: (ReplicaID) throws -> Int64
    ) throws {
        guard case .reference(let record) = value else { return bytes.append(tagged: value) }
        bytes.append(byte: ValueTag.reference)
        bytes.append(varint: UInt64(try ordinal(record.replica)))
        bytes.append(varint: record.number)
    }

    /// Decodes a stored value.
    ///
    /// - Parameter replica: Returns the replica with an ordinal.
    static func value(
        decoding bytes: ArraySlice<UInt8>, replica: (Int64) throws -> ReplicaID
    ) throws -> PropertyValue {
        try StorageError.decoding("a value of a record") { try decoded(bytes, replica) }
    }

    private static func decoded(
        _ bytes: ArraySlice<UInt8>, _ replica: (Int64) throws -> ReplicaID
    ) throws -> PropertyValue {
        if bytes.count >= leastLarge, let value = try large(bytes) { return value }
        var reader = ByteReader(Array(bytes))
        guard bytes.first == ValueTag.reference else { return try reader.readTagged() }
        _ = try reader.readByte()
        let ordinal = try reader.readVarint()
        let number = try reader.readVarint()
        return .reference(
            RecordID(
                replica: try replica(Int64(clamping: ordinal)), number: number))
    }

    /// The least size of a value that is decoded with only one copy of its bytes.
    private static let leastLarge = 1 << 20

    /// Decodes a large value like `value(decoding:replica:)`, with one copy of the bytes.
    ///
    /// - Returns: `nil` for a value of another type.
    private static func large(_ bytes: ArraySlice<UInt8>) throws -> PropertyValue? {
        // These bytes contain the tag and a length.
        var reader = ByteReader(Array(bytes.prefix(11)))
        let tag = try reader.readByte()
        guard tag == ValueTag.data || tag == ValueTag.string || tag == ValueTag.uri else {
            return nil
        }
        let count = try reader.readVarint()
        let content = bytes.dropFirst(reader.offset)
        guard count == UInt64(content.count) else {
            throw reader.failure(.malformed, "a value has \(content.count) bytes, not \(count)")
        }
        if tag == ValueTag.data { return .data(Data(content)) }
        guard let text = String(validating: content, as: UTF8.self) else {
            throw reader.failure(.malformed, "a text is not UTF-8")
        }
        return tag == ValueTag.uri ? .uri(text) : .string(text)
    }
}
