public import AnabranchReplication

/// Asks for a chunk of a snapshot of the zone.
public struct SnapshotRequest: Message {
    public static let title = "snapshot request"

    /// The snapshot that the first answer named; `nil` asks for the newest, whose first chunk
    /// comes.
    public var snapshot: SnapshotName?
    /// Of a chunk, from zero.
    public var number: UInt64

    public init(snapshot: SnapshotName? = nil, number: UInt64 = 0) {
        self.snapshot = snapshot
        self.number = number
    }

    public init(from reader: inout ByteReader) throws(ChangeSetDecodingError) {
        snapshot = try reader.readOptional { (reader) throws(ChangeSetDecodingError) in
            try SnapshotName(from: &reader)
        }
        number = try reader.readQuantity()
    }

    public func write(to writer: inout ByteWriter) {
        writer.append(snapshot) { writer, name in name.write(to: &writer) }
        writer.append(varint: number)
    }
}

/// Which snapshot: of which place of which log, and of which bytes.
public struct SnapshotName: Hashable, Sendable {
    public var cursor: LogCursor
    /// Over the digests of all chunks, so that chunks of two snapshots are never mixed.
    public var digest: Digest

    public init(cursor: LogCursor, digest: Digest) {
        self.cursor = cursor
        self.digest = digest
    }

    init(from reader: inout ByteReader) throws(ChangeSetDecodingError) {
        cursor = try reader.readCursor()
        digest = try reader.readDigest()
    }

    func write(to writer: inout ByteWriter) {
        writer.append(cursor: cursor)
        writer.append(digest: digest)
    }
}

/// One chunk of a snapshot.
public struct SnapshotResponse: Message {
    public static let title = "snapshot response"

    public var snapshot: SnapshotName
    public var chunkCount: UInt64
    /// Of the log's last entry when the answer was made.
    public var headPosition: UInt64
    /// The server's clock, since 1970-01-01 UTC.
    public var wallMilliseconds: Int64
    /// An encoded ``SnapshotChunk``.
    public var chunk: [UInt8]

    public init(
        snapshot: SnapshotName, chunkCount: UInt64, headPosition: UInt64, wallMilliseconds: Int64,
        chunk: [UInt8]
    ) {
        self.snapshot = snapshot
        self.chunkCount = chunkCount
        self.headPosition = headPosition
        self.wallMilliseconds = wallMilliseconds
        self.chunk = chunk
    }

    public init(from reader: inout ByteReader) throws(ChangeSetDecodingError) {
        snapshot = try SnapshotName(from: &reader)
        chunkCount = try reader.readQuantity()
        headPosition = try reader.readQuantity()
        wallMilliseconds = try reader.readMilliseconds()
        chunk = try reader.readBlock()
    }

    public func write(to writer: inout ByteWriter) {
        snapshot.write(to: &writer)
        writer.append(varint: chunkCount)
        writer.append(varint: headPosition)
        writer.append(milliseconds: wallMilliseconds)
        writer.append(block: chunk)
    }
}
