/// The name of a replica: 16 random bytes that one store file has among all replicas.
///
/// Replica IDs are ordered by their bytes. Ties between stamps are decided in this order, so a
/// server that only compares bytes decides like every client.
public struct ReplicaID: Hashable, Sendable {
    /// The first eight bytes, read as one big-endian number.
    @usableFromInline package let high: UInt64
    /// The last eight bytes, read as one big-endian number.
    @usableFromInline package let low: UInt64

    @inlinable
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Creates a replica ID from its bytes.
    ///
    /// - Parameter bytes: Exactly 16 bytes; the result is `nil` for any other number.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        let words = bytes.withContiguousStorageIfAvailable { bytes in
            let raw = UnsafeRawBufferPointer(bytes)
            return (
                raw.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
                raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
            )
        }
        if let words {
            self.init(high: UInt64(bigEndian: words.0), low: UInt64(bigEndian: words.1))
        } else {
            self.init(
                high: bytes.prefix(8).bigEndianNumber, low: bytes.dropFirst(8).bigEndianNumber)
        }
    }

    package static let byteCount = 16

    /// The 16 bytes in their order.
    package var bytes: [UInt8] {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Array($0) }
    }
}

extension ReplicaID: Comparable {
    /// Orders replica IDs by their bytes as unsigned numbers, the first byte first.
    @inlinable
    public static func < (left: ReplicaID, right: ReplicaID) -> Bool {
        left.high != right.high ? left.high < right.high : left.low < right.low
    }
}

extension ReplicaID: LosslessStringConvertible {
    /// 32 lower-case hexadecimal digits.
    public var description: String { bytes.hexadecimal }

    /// Creates a replica ID from 32 hexadecimal digits; the result is `nil` for any other text.
    public init?(_ description: String) {
        guard let bytes = [UInt8](hexadecimal: description) else { return nil }
        self.init(bytes: bytes)
    }
}

/// The name of one life of a zone's log. A server that was restored or copied begins a new epoch.
///
/// An epoch has the form of a replica ID. In the dots of entries that the zone itself writes, it
/// takes the place of the replica.
package typealias EpochID = ReplicaID

extension Collection<UInt8> {
    var bigEndianNumber: UInt64 { reduce(0) { $0 << 8 | UInt64($1) } }
}
