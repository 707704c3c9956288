package import AnabranchReplication

/// Sends a piece of a part before the save that lists the part.
package struct StageRequest: Message {
    /// The part that the piece belongs to.
    package var part: SavePart
    /// The offset of the piece's first byte in the part.
    package var start: UInt64
    package var bytes: [UInt8]

    package init(part: SavePart, start: UInt64, bytes: [UInt8]) {
        self.part = part
        self.start = start
        self.bytes = bytes
    }

    /// Reads the fields of the request.
    ///
    /// - Throws: `ChangeSetDecodingError` if the piece extends beyond its part.
    package init(from reader: inout ByteReader) throws(ChangeSetDecodingError) {
        part = try reader.readPart()
        start = try reader.readQuantity()
        bytes = try reader.readBlock()
        guard start <= UInt64(part.byteCount), bytes.count <= part.byteCount - Int(start) else {
            throw reader.failure(.malformed, "a piece extends beyond its part")
        }
    }

    package var expectedByteCount: Int { 128 + bytes.count }

    package func write(to writer: inout ByteWriter) {
        writer.append(part: part)
        writer.append(varint: start)
        writer.append(block: bytes)
    }
}

/// The number of bytes of a part that the server holds now. Continue there, whatever was sent.
package struct StageResponse: Message {
    /// The number of bytes that the server holds, counted from the part's beginning.
    package var heldBytes: UInt64

    package init(heldBytes: UInt64) { self.heldBytes = heldBytes }

    package init(from reader: inout ByteReader) throws(ChangeSetDecodingError) {
        heldBytes = try reader.readQuantity()
    }

    package func write(to writer: inout ByteWriter) { writer.append(varint: heldBytes) }
}

/// Asks for a piece of a part of a save in the log.
package struct PartRequest: Message {
    package var part: SavePart
    /// The offset of the first requested byte.
    package var start: UInt64
    /// The greatest number of bytes that the answer may contain.
    package var byteLimit: UInt64

    package init(part: SavePart, start: UInt64, byteLimit: UInt64) {
        self.part = part
        self.start = start
        self.byteLimit = byteLimit
    }

    package init(from reader: inout ByteReader) throws(ChangeSetDecodingError) {
        part = try reader.readPart()
        start = try reader.readQuantity()
        byteLimit = try reader.readQuantity()
    }

    package func write(to writer: inout ByteWriter) {
        writer.append(part: part)
        writer.append(varint: start)
        writer.append(varint: byteLimit)
    }
}

/// A piece of a part, from the requested byte on; at least one byte.
package struct PartResponse: Message {
    package var bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }

    package init(from reader: inout ByteReader) throws(ChangeSetDecodingError) {
        bytes = try reader.readBlock()
    }

    package var expectedByteCount: Int { 128 + bytes.count }

    package func write(to writer: inout ByteWriter) { writer.append(block: bytes) }
}

extension ByteWriter {
    fileprivate mutating func append(part: SavePart) {
        append(digest: part.digest)
        append(count: part.byteCount)
    }
}

extension ByteReader {
    fileprivate mutating func readPart() throws(ChangeSetDecodingError) -> SavePart {
        let digest = try readDigest()
        let size = try readQuantity()
        guard size > 0, size <= UInt64(Limits.largestPart) else {
            throw failure(
                .limitExceeded, "a part has \(size) bytes, not 1 to \(Limits.largestPart)")
        }
        return SavePart(digest: digest, byteCount: Int(size))
    }
}
