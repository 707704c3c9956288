/// Who made a change: 16 random bytes, one store file's name among all replicas.
///
/// Ordered by its bytes, which is the order that ties between stamps are decided in, so that a
/// server that knows nothing but bytes decides as every client does.
public struct ReplicaID: Hashable, Sendable {
    /// The first eight bytes, read as one big-endian number.
    public let high: UInt64
    /// The last eight bytes, read as one big-endian number.
    public let low: UInt64

    @inlinable
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// - Parameter bytes: Exactly 16; any other count gives `nil`.
    public init?(bytes: some Collection<UInt8>) {
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

    public static let byteCount = 16

    public var bytes: [UInt8] {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Array($0) }
    }
}

extension ReplicaID: Comparable {
    @inlinable
    public static func < (left: ReplicaID, right: ReplicaID) -> Bool {
        left.high != right.high ? left.high < right.high : left.low < right.low
    }
}

extension ReplicaID: LosslessStringConvertible {
    /// 32 lower-case hexadecimal digits.
    public var description: String { bytes.hexadecimal }

    public init?(_ description: String) {
        guard let bytes = [UInt8](hexadecimal: description) else { return nil }
        self.init(bytes: bytes)
    }
}

/// One life of a zone's log: a server that is restored or copied starts a new one.
///
/// It has a replica's shape because entries that a zone writes in its own log are named by its
/// epoch where those of a client are named by its replica.
public typealias EpochID = ReplicaID

extension Collection<UInt8> {
    var bigEndianNumber: UInt64 { reduce(0) { $0 << 8 | UInt64($1) } }
}
