#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads the format's primitives from bytes that may be hostile.
///
/// A length is compared with the bytes that follow before anything is allocated; no input can trap.
/// Every read throws ``ChangeSetDecodingError`` with code `truncated` if the bytes end.
@usableFromInline package struct ByteReader: Sendable {
    @usableFromInline let bytes: [UInt8]
    /// The index of the next byte in the array that the outermost reader was created with.
    @inlinable package var offset: Int { position }
    @usableFromInline var position: Int
    @usableFromInline let end: Int

    package init(_ bytes: [UInt8]) { self.init(bytes, from: 0, to: bytes.count) }

    /// Creates a reader of the first bytes of an array.
    ///
    /// - Parameter end: The number of bytes, at most those of the array.
    package init(_ bytes: [UInt8], upTo end: Int) { self.init(bytes, from: 0, to: end) }

    @usableFromInline
    init(_ bytes: [UInt8], from start: Int, to end: Int) {
        self.bytes = bytes
        position = start
        self.end = end
    }

    /// The number of bytes that were not read yet.
    @inlinable package var remaining: Int { end - offset }
    /// Indicates whether all bytes were read.
    @inlinable package var isAtEnd: Bool { offset == end }

    /// Creates an error that names the offset of the next byte.
    @inlinable
    package func failure(
        _ code: ChangeSetDecodingError.Code, _ cause: String
    ) -> ChangeSetDecodingError {
        ChangeSetDecodingError(code: code, offset: offset, cause: cause)
    }

    @inlinable
    package mutating func readByte() throws(ChangeSetDecodingError) -> UInt8 {
        guard position < end else { throw failure(.truncated, "the bytes end too early") }
        defer { position &+= 1 }
        return bytes[position]
    }

    /// Reads an unsigned LEB128 number of at most 64 bits, which must be in its shortest form.
    @inlinable
    package mutating func readVarint() throws(ChangeSetDecodingError) -> UInt64 {
        let first = try readByte()
        if first < 0x80 { return UInt64(first) }
        var value = UInt64(first & 0x7F)
        var shift: UInt64 = 7
        while true {
            let byte = try readByte()
            guard shift < 63 || byte <= 1 else {
                throw failure(.malformed, "a number has more than 64 bits")
            }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 {
                guard byte != 0 else {
                    throw failure(.malformed, "a number is not in its shortest form")
                }
                return value
            }
            shift += 7
        }
    }

    /// Reads a signed number: a varint in zigzag form.
    @inlinable
    package mutating func readSigned() throws(ChangeSetDecodingError) -> Int64 {
        let zigzag = try readVarint()
        return Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1)
    }

    /// Reads the number of elements of a list, each of which needs at least `minimumByteCount` of
    /// the bytes that follow.
    @inlinable
    package mutating func readCount(
        ofAtLeast minimumByteCount: Int = 1
    ) throws(ChangeSetDecodingError) -> Int {
        let count = try readVarint()
        guard count <= UInt64(remaining / max(minimumByteCount, 1)) else {
            throw failure(.truncated, "a count of \(count) exceeds the bytes that follow")
        }
        return Int(count)
    }

    /// Reads eight bytes as a little-endian number.
    @inlinable
    package mutating func readFixed64() throws(ChangeSetDecodingError) -> UInt64 {
        guard remaining >= 8 else { throw failure(.truncated, "the bytes end too early") }
        defer { position += 8 }
        return bytes.withUnsafeBytes {
            UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: position, as: UInt64.self))
        }
    }

    /// Reads eight bytes as a big-endian number.
    @inlinable
    package mutating func readBigEndian64() throws(ChangeSetDecodingError) -> UInt64 {
        try readFixed64().byteSwapped
    }

    /// Reads the 16 bytes of a replica ID or an epoch ID.
    @inlinable
    package mutating func readReplica() throws(ChangeSetDecodingError) -> ReplicaID {
        let high = try readBigEndian64()
        return ReplicaID(high: high, low: try readBigEndian64())
    }

    /// Reads exactly this many bytes.
    @inlinable
    package mutating func readRaw(_ count: Int) throws(ChangeSetDecodingError) -> [UInt8] {
        guard count >= 0, count <= remaining else {
            throw failure(.truncated, "the bytes end too early")
        }
        defer { position += count }
        return Array(bytes[position..<position + count])
    }

    /// Reads a length, then as many bytes.
    @inlinable
    package mutating func readBlock() throws(ChangeSetDecodingError) -> [UInt8] {
        try readRaw(try readCount())
    }

    /// Reads a length, then as many bytes, with only one copy of them.
    mutating func readData() throws(ChangeSetDecodingError) -> Data {
        let count = try readCount()
        defer { position += count }
        let slice = bytes[position..<position + count]
        return slice.withUnsafeBytes { bytes in
            bytes.baseAddress.map { Data(bytes: $0, count: bytes.count) } ?? Data()
        }
    }

    /// Returns a reader of the block that follows, and skips the block.
    package mutating func readNested() throws(ChangeSetDecodingError) -> ByteReader {
        let count = try readCount()
        defer { position += count }
        return ByteReader(bytes, from: position, to: position + count)
    }

    /// Reads a length, then as many bytes of UTF-8.
    ///
    /// - Throws: ``ChangeSetDecodingError`` with code `malformed` if the bytes are not UTF-8. They
    ///   are not repaired, because the repaired text would be another text.
    @inlinable
    package mutating func readString() throws(ChangeSetDecodingError) -> String {
        let count = try readCount()
        let start = position
        let text = bytes.withUnsafeBufferPointer {
            String(validUTF8: UnsafeBufferPointer(rebasing: $0[start..<start + count]))
        }
        guard let text else { throw failure(.malformed, "a text is not UTF-8") }
        position += count
        return text
    }

    /// Reads the name of something, of at most ``Limits/longestName`` bytes.
    package mutating func readName() throws(ChangeSetDecodingError) -> String {
        let name = try readString()
        guard name.utf8.count <= Limits.longestName else {
            throw failure(.limitExceeded, "a name is longer than \(Limits.longestName) bytes")
        }
        return name
    }

    /// Throws ``ChangeSetDecodingError`` if not all bytes were read.
    package func expectEnd() throws(ChangeSetDecodingError) {
        guard isAtEnd else { throw failure(.malformed, "\(remaining) bytes follow the end") }
    }
}
