/// A stretch of a chunk that is larger than one answer may be, which a record with a value of
/// hundreds of megabytes makes it.
///
/// It takes a chunk's number and is carried and kept as a chunk is. Its version, 2, tells it from a
/// whole one; then come the number of pieces that follow and, to the end, the bytes.
public struct SnapshotPiece: Hashable, Sendable {
    /// Pieces of the same chunk behind this one.
    public let followingCount: UInt64
    public let bytes: ArraySlice<UInt8>

    static let version: UInt64 = 2

    /// - Returns: `nil` for bytes that are no piece: a whole chunk, perhaps.
    /// - Throws: ``ChangeSetDecodingError`` where a piece ends before its bytes.
    public init?(decoding encoded: [UInt8]) throws(ChangeSetDecodingError) {
        var reader = ByteReader(encoded)
        guard try reader.readVarint() == Self.version else { return nil }
        followingCount = try reader.readQuantity()
        bytes = encoded[reader.offset...]
    }

    /// Cuts a chunk, in its order.
    ///
    /// - Parameter size: Bytes of a piece, above zero.
    public static func cut(
        _ chunk: ByteWriter, into size: Int, _ body: ([UInt8]) throws -> Void
    ) rethrows {
        var followingCount = (chunk.count + size - 1) / size
        try chunk.forEachPiece(of: size) { bytes in
            followingCount -= 1
            var piece = ByteWriter(reservingCapacity: bytes.count + 12)
            piece.append(varint: version)
            piece.append(count: followingCount)
            piece.append(raw: bytes)
            try body(piece.bytes)
        }
    }
}
