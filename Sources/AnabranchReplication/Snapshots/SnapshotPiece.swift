/// A piece of a chunk that is larger than one answer may be, because one of its records is.
///
/// A piece has a number like a chunk, and is transferred and stored like one. Its version 2
/// distinguishes it from a whole chunk. The number of pieces that follow comes next, then bytes up
/// to the end.
package struct SnapshotPiece: Hashable, Sendable {
    /// The number of pieces of the same chunk after this one.
    package let followingCount: UInt64
    /// The bytes of this piece. Those of all pieces in their order are the chunk.
    package let bytes: ArraySlice<UInt8>

    static let version: UInt64 = 2

    /// Decodes a piece.
    ///
    /// - Returns: `nil` if the bytes have another version, such as that of a whole chunk.
    /// - Throws: ``ChangeSetDecodingError`` if the bytes end before the content of the piece.
    package init?(decoding encoded: [UInt8]) throws(ChangeSetDecodingError) {
        var reader = ByteReader(encoded)
        guard try reader.readVarint() == Self.version else { return nil }
        followingCount = try reader.readQuantity()
        bytes = encoded[reader.offset...]
    }

    /// Cuts a chunk into pieces and passes them to a closure in their order.
    ///
    /// - Parameters:
    ///   - chunk: The encoded chunk.
    ///   - size: The number of bytes of each piece, above zero. Only the last piece may be shorter.
    ///   - body: Receives each encoded piece.
    package static func cut(
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
