/// Appends the format's primitives to a buffer.
///
/// Varints are LEB128: seven bits a byte, least significant first, in their shortest form. Numbers
/// of fixed width are little-endian. Values of a megabyte and more are not copied: the writer
/// refers to them, and ``forEachPiece(_:)`` passes them on (`ByteWriter+Pieces.swift`).
@usableFromInline package struct ByteWriter: Sendable {
    /// All appended bytes except those in `large`.
    @usableFromInline var storage: [UInt8]
    /// The large pieces in the order in which they were appended.
    @usableFromInline var large: [ReferencedBytes]
    /// The number of bytes in all of `large`.
    @usableFromInline var largeCount: Int

    /// Everything that was appended, in one array. Large values are copied.
    @inlinable package var bytes: [UInt8] { large.isEmpty ? storage : joined() }

    /// Creates an empty writer.
    ///
    /// - Parameter capacity: The number of bytes that are expected, large values not counted.
    @inlinable
    package init(reservingCapacity capacity: Int = 0) {
        storage = []
        large = []
        largeCount = 0
        storage.reserveCapacity(capacity)
    }

    /// The number of appended bytes.
    @inlinable package var count: Int { storage.count + largeCount }

    @inlinable
    package mutating func append(byte: UInt8) { storage.append(byte) }

    /// Appends an unsigned number in LEB128.
    @inlinable
    package mutating func append(varint value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            storage.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        storage.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Appends the number of elements of a list, or a length, as a varint.
    @inlinable
    package mutating func append(count value: Int) { append(varint: UInt64(value)) }

    /// Appends a signed number in zigzag form, which keeps small magnitudes of either sign short.
    @inlinable
    package mutating func append(signed value: Int64) {
        append(varint: UInt64(bitPattern: (value << 1) ^ (value >> 63)))
    }

    /// Appends a number as eight little-endian bytes.
    @inlinable
    package mutating func append(fixed64 value: UInt64) {
        withUnsafeBytes(of: value.littleEndian) { storage.append(contentsOf: $0) }
    }

    /// Appends a number as eight big-endian bytes. Replica IDs and digests are kept as such
    /// numbers, so that their order is that of their bytes.
    @inlinable
    package mutating func append(bigEndian64 value: UInt64) {
        withUnsafeBytes(of: value.bigEndian) { storage.append(contentsOf: $0) }
    }

    /// Appends bytes without a length.
    @inlinable
    package mutating func append(raw other: some Sequence<UInt8>) {
        storage.append(contentsOf: other)
    }

    /// Appends a length, then the bytes.
    @inlinable
    package mutating func append(block other: [UInt8]) {
        append(count: other.count)
        storage.append(contentsOf: other)
    }

    /// Appends a length, then the text in UTF-8.
    @inlinable
    package mutating func append(string: String) {
        var text = string
        text.withUTF8 { utf8 in
            guard utf8.count < Self.leastLarge else { return append(largeText: utf8) }
            append(count: utf8.count)
            storage.append(contentsOf: utf8)
        }
    }

    /// Appends the 16 bytes of a replica ID or an epoch ID.
    @inlinable
    package mutating func append(replica: ReplicaID) {
        append(bigEndian64: replica.high)
        append(bigEndian64: replica.low)
    }
}
