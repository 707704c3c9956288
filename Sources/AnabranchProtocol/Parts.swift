public import AnabranchReplication

/// Sends a piece of a part ahead of the save that lists it.
public struct StageRequest: Message {
    public static let title = "stage request"

    public var part: SavePart
    /// Of the piece's first byte in the part.
    public var start: UInt64
    public var bytes: [UInt8]

    public init(part: SavePart, start: UInt64, bytes: [UInt8]) {
        self.part = part
        self.start = start
        self.bytes = bytes
    }

    public init(from reader: inout ByteReader) throws(ChangeSetDecodingError) {
        part = try reader.readPart()
        start = try reader.readQuantity()
        bytes = try reader.readBlock()
        guard start <= UInt64(part.byteCount), bytes.count <= part.byteCount - Int(start) else {
            throw reader.failure(.malformed, "a piece ends behind its part")
        }
    }

    public func write(to writer: inout ByteWriter) {
        writer.append(part: part)
        writer.append(varint: start)
        writer.append(block: bytes)
    }
}

/// How much of the part is here now: go on there, whatever was sent.
public struct StageResponse: Message {
    public static let title = "stage response"

    /// From the part's beginning on.
    public var heldBytes: UInt64

    public init(heldBytes: UInt64) { self.heldBytes = heldBytes }

    public init(from reader: inout ByteReader) throws(ChangeSetDecodingError) {
        heldBytes = try reader.readQuantity()
    }

    public func write(to writer: inout ByteWriter) { writer.append(varint: heldBytes) }
}

/// Asks for a piece of a part of a save that the log has.
public struct PartRequest: Message {
    public static let title = "part request"

    public var part: SavePart
    /// Of the first byte that is asked for.
    public var start: UInt64
    /// Bytes that the answer may hold.
    public var byteLimit: UInt64

    public init(part: SavePart, start: UInt64, byteLimit: UInt64) {
        self.part = part
        self.start = start
        self.byteLimit = byteLimit
    }

    public init(from reader: inout ByteReader) throws(ChangeSetDecodingError) {
        part = try reader.readPart()
        start = try reader.readQuantity()
        byteLimit = try reader.readQuantity()
    }

    public func write(to writer: inout ByteWriter) {
        writer.append(part: part)
        writer.append(varint: start)
        writer.append(varint: byteLimit)
    }
}

/// Bytes of a part, from the place on that was asked for; at least one.
public struct PartResponse: Message {
    public static let title = "part response"

    public var bytes: [UInt8]

    public init(bytes: [UInt8]) { self.bytes = bytes }

    public init(from reader: inout ByteReader) throws(ChangeSetDecodingError) {
        bytes = try reader.readBlock()
    }

    public func write(to writer: inout ByteWriter) { writer.append(block: bytes) }
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
            throw failure(.limitExceeded, "a part of \(size) bytes can't be")
        }
        return SavePart(digest: digest, byteCount: Int(size))
    }
}
