#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ByteReader {
    /// Reads a value without its tag.
    ///
    /// - Returns: `nil` for a reference, which the caller reads, because its form depends on the
    ///   context.
    mutating func readBody(tag: UInt8) throws(ChangeSetDecodingError) -> PropertyValue? {
        switch tag {
        case ValueTag.null: return .null
        case ValueTag.bool: return .bool(try readFlag())
        case ValueTag.integer: return .integer(try readSigned())
        case ValueTag.double: return .double(Double(bitPattern: try readFixed64()))
        case ValueTag.date: return .date(Double(bitPattern: try readFixed64()))
        case ValueTag.decimal: return .decimal(try readDecimal())
        case ValueTag.string: return .string(try readString())
        case ValueTag.uri: return .uri(try readString())
        case ValueTag.data: return .data(try readData())
        case ValueTag.uuid: return .uuid(try readUUID())
        case ValueTag.reference: return nil
        case ValueTag.group: return .group(try readGroup())
        case ValueTag.firstUnknown...: return .unknown(tag: tag, bytes: try readBlock())
        default: throw failure(.malformed, "value tag \(tag) does not exist")
        }
    }

    /// Reads a byte that is 0 or 1.
    package mutating func readFlag() throws(ChangeSetDecodingError) -> Bool {
        let byte = try readByte()
        guard byte <= 1 else { throw failure(.malformed, "a flag is neither 0 nor 1") }
        return byte == 1
    }

    private mutating func readDecimal() throws(ChangeSetDecodingError) -> ExactDecimal {
        let isNegative = try readFlag()
        let exponent = try readSigned()
        let high = try readVarint()
        let digits = UInt128(high) << 64 | UInt128(try readVarint())
        guard
            let decimal = ExactDecimal(
                digits: digits, exponent: Int(clamping: exponent), isNegative: isNegative),
            decimal.digits == digits, decimal.isNegative == isNegative,
            decimal.exponent == exponent
        else {
            throw failure(.malformed, "a decimal number is too large or not in its shortest form")
        }
        return decimal
    }

    /// Reads the members of a group. A member can't be a group, so nesting can't exhaust the stack.
    private mutating func readGroup() throws(ChangeSetDecodingError) -> GroupValue {
        var body = try readNested()
        // A member has at least the length of its name, a type and the tag of its value.
        let count = try body.readCount(ofAtLeast: 3)
        guard count <= Limits.maximumMembers else {
            throw body.failure(
                .limitExceeded, "an attribute group has more than \(Limits.maximumMembers) members")
        }
        var members: [GroupValue.Member] = []
        members.reserveCapacity(count)
        for _ in 0..<count {
            let member = try body.readMember()
            guard members.last.map({ $0.precedes(member) }) ?? true else {
                throw body.failure(.malformed, "the members of an attribute group are not in order")
            }
            members.append(member)
        }
        try body.expectEnd()
        return GroupValue(ordered: members)
    }

    private mutating func readMember() throws(ChangeSetDecodingError) -> GroupValue.Member {
        let name = WireName(try readName())
        let type = WireType(rawValue: try readByte())
        let tag = try readByte()
        guard tag != ValueTag.group else {
            throw failure(.malformed, "an attribute group contains another group")
        }
        let value: PropertyValue
        if let body = try readBody(tag: tag) {
            value = body
        } else {
            value = .reference(try readRecord())
        }
        let member = GroupValue.Member(name: name, type: type, value: value)
        guard member.isWellFormed else {
            throw failure(.malformed, "\(name) (\(type)) can't hold \(member.value)")
        }
        return member
    }

    private mutating func readUUID() throws(ChangeSetDecodingError) -> UUID {
        let bytes = try readRaw(16)
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    /// Reads a value with its tag. A reference has its whole identity.
    package mutating func readTagged() throws(ChangeSetDecodingError) -> PropertyValue {
        let tag = try readByte()
        if let value = try readBody(tag: tag) { return value }
        return .reference(try readRecord())
    }

    /// Reads the identity of a record: its replica and its number.
    package mutating func readRecord() throws(ChangeSetDecodingError) -> RecordID {
        let replica = try readReplica()
        return RecordID(replica: replica, number: try readRecordNumber())
    }

    mutating func readRecordNumber() throws(ChangeSetDecodingError) -> UInt64 {
        try checked(recordNumber: try readVarint())
    }

    func checked(recordNumber number: UInt64) throws(ChangeSetDecodingError) -> UInt64 {
        guard (1...Limits.greatestRecordNumber).contains(number) else {
            throw failure(.limitExceeded, "a record number is not within 1…2^40−1")
        }
        return number
    }

    /// Reads a timestamp, which must be below 2^63.
    package mutating func readTimestamp() throws(ChangeSetDecodingError) -> HybridTimestamp {
        try checked(timestamp: try readFixed64())
    }

    func checked(timestamp rawValue: UInt64) throws(ChangeSetDecodingError) -> HybridTimestamp {
        guard rawValue <= Limits.greatestTimestamp else {
            throw failure(.limitExceeded, "a timestamp is not below 2^63")
        }
        return HybridTimestamp(rawValue: rawValue)
    }

    /// Reads a stamp: its timestamp and its replica.
    package mutating func readStamp() throws(ChangeSetDecodingError) -> Stamp {
        let timestamp = try readTimestamp()
        return Stamp(timestamp: timestamp, replica: try readReplica())
    }

    /// Reads the 32 bytes of a digest.
    package mutating func readDigest() throws(ChangeSetDecodingError) -> Digest {
        guard let digest = Digest(bytes: try readRaw(Digest.byteCount)) else {
            throw failure(.truncated, "the bytes end too early")
        }
        return digest
    }

    /// Reads a dot: its replica and its sequence number.
    package mutating func readDot() throws(ChangeSetDecodingError) -> Dot {
        let replica = try readReplica()
        return Dot(replica: replica, sequence: try readSequence())
    }

    /// Reads a sequence number from 1 to ``Limits/greatestSequence``.
    package mutating func readSequence() throws(ChangeSetDecodingError) -> UInt64 {
        let sequence = try readVarint()
        guard (1...Limits.greatestSequence).contains(sequence) else {
            throw failure(.limitExceeded, "a sequence number is not within 1…2^53−1")
        }
        return sequence
    }

    /// Reads a position or a size, from zero to ``Limits/greatestSequence``.
    package mutating func readQuantity() throws(ChangeSetDecodingError) -> UInt64 {
        let quantity = try readVarint()
        guard quantity <= Limits.greatestSequence else {
            throw failure(.limitExceeded, "a position or size is not below 2^53")
        }
        return quantity
    }
}
