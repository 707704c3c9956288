#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension ByteWriter {
    /// Appends a value without its tag. A reference is left out: the caller writes it, because its
    /// form depends on the context.
    @inlinable
    package mutating func append(bodyOf value: PropertyValue) {
        switch value {
        case .null, .reference: break
        case .bool(let flag): append(byte: flag ? 1 : 0)
        case .integer(let integer): append(signed: integer)
        case .double(let double), .date(let double): append(fixed64: double.canonicalBits)
        case .decimal(let decimal): append(decimal: decimal)
        case .string(let text), .uri(let text): append(string: text)
        case .data(let data): append(data: data)
        case .uuid(let uuid): append(uuid: uuid)
        case .group(let group): append(group: group)
        case .unknown(_, let bytes): append(block: bytes)
        }
    }

    @usableFromInline
    mutating func append(group: GroupValue) {
        let start = beginBlock()
        append(count: group.members.count)
        for member in group.members {
            append(string: member.name.string)
            append(byte: member.type.rawValue)
            append(tagged: member.value)
        }
        endBlock(start)
    }

    @usableFromInline
    mutating func append(uuid: UUID) {
        withUnsafeBytes(of: uuid.uuid) { append(raw: $0) }
    }

    /// Appends the sign and the exponent, then the digits as two varints, the high one first.
    @usableFromInline
    mutating func append(decimal: ExactDecimal) {
        append(byte: decimal.isNegative ? 1 : 0)
        append(signed: Int64(decimal.exponent))
        append(varint: UInt64(truncatingIfNeeded: decimal.digits >> 64))
        append(varint: UInt64(truncatingIfNeeded: decimal.digits))
    }

    /// Appends a value with its tag. A reference has its whole identity.
    package mutating func append(tagged value: PropertyValue) {
        append(byte: value.tag)
        if case .reference(let record) = value {
            append(record: record)
        } else {
            append(bodyOf: value)
        }
    }

    /// Appends the identity of a record: its replica and its number.
    package mutating func append(record: RecordID) {
        append(replica: record.replica)
        append(varint: record.number)
    }

    /// Appends a stamp: its timestamp and its replica.
    package mutating func append(stamp: Stamp) {
        append(fixed64: stamp.timestamp.rawValue)
        append(replica: stamp.replica)
    }

    /// Appends the 32 bytes of a digest.
    package mutating func append(digest: Digest) { append(raw: digest.bytes) }

    /// Appends a dot: its replica and its sequence number.
    package mutating func append(dot: Dot) {
        append(replica: dot.replica)
        append(varint: dot.sequence)
    }
}
