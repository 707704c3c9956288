/// Appends the format's primitives to bytes.
///
/// Varints are LEB128, seven bits a byte, least significant first, in their shortest form;
/// fixed-width numbers are little-endian. Values of a megabyte and more are not copied: they stay
/// where they are, and ``forEachPiece(_:)`` passes them on (`ByteWriter+Pieces.swift`).
public struct ByteWriter: Sendable {
    /// All but what is in `large`.
    @usableFromInline var storage: [UInt8]
    /// In ascending order of their places.
    @usableFromInline var large: [LargePiece]
    /// Bytes of all of `large`.
    @usableFromInline var largeCount: Int

    /// All that was appended, in one array.
    @inlinable public var bytes: [UInt8] { large.isEmpty ? storage : joined() }

    @inlinable
    public init(reservingCapacity capacity: Int = 0) {
        storage = []
        large = []
        largeCount = 0
        storage.reserveCapacity(capacity)
    }

    @inlinable public var count: Int { storage.count + largeCount }

    @inlinable
    public mutating func append(byte: UInt8) { storage.append(byte) }

    @inlinable
    public mutating func append(varint value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            storage.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        storage.append(UInt8(truncatingIfNeeded: rest))
    }

    @inlinable
    public mutating func append(count value: Int) { append(varint: UInt64(value)) }

    /// Zigzag: small magnitudes of either sign stay short.
    @inlinable
    public mutating func append(signed value: Int64) {
        append(varint: UInt64(bitPattern: (value << 1) ^ (value >> 63)))
    }

    @inlinable
    public mutating func append(fixed64 value: UInt64) {
        withUnsafeBytes(of: value.littleEndian) { storage.append(contentsOf: $0) }
    }

    /// The one exception to the byte order: the first eight bytes of a replica or a digest, which
    /// were read as one big-endian number, in their own order.
    @inlinable
    public mutating func append(bigEndian64 value: UInt64) {
        withUnsafeBytes(of: value.bigEndian) { storage.append(contentsOf: $0) }
    }

    @inlinable
    public mutating func append(raw other: some Sequence<UInt8>) {
        storage.append(contentsOf: other)
    }

    /// A length, then as many bytes.
    @inlinable
    public mutating func append(block other: [UInt8]) {
        append(count: other.count)
        storage.append(contentsOf: other)
    }

    /// A length, then the UTF-8 of the text.
    @inlinable
    public mutating func append(string: String) {
        var text = string
        text.withUTF8 { utf8 in
            guard utf8.count < Self.leastLarge else { return append(largeText: utf8) }
            append(count: utf8.count)
            storage.append(contentsOf: utf8)
        }
    }

    @inlinable
    public mutating func append(replica: ReplicaID) {
        append(bigEndian64: replica.high)
        append(bigEndian64: replica.low)
    }
}
