package import AnabranchReplication

/// Asks for a chunk of a snapshot of the zone.
package struct SnapshotRequest: Message {
    /// The snapshot that the first answer named, or `nil` for the newest one.
    package var snapshot: SnapshotName?
    /// The number of the chunk, from zero.
    package var number: UInt64

    package init(snapshot: SnapshotName? = nil, number: UInt64 = 0) {
        self.snapshot = snapshot
        self.number = number
    }

    package init(from reader: inout ByteReader) throws(ChangeSetDecodingError) {
        snapshot = try reader.readOptional { (reader) throws(ChangeSetDecodingError) in
            try SnapshotName(from: &reader)
        }
        number = try reader.readQuantity()
    }

    package func write(to writer: inout ByteWriter) {
        writer.append(snapshot) { writer, name in name.write(to: &writer) }
        writer.append(varint: number)
    }
}

/// The name of a snapshot: its position in a log and the digest of its chunks.
package struct SnapshotName: Hashable, Sendable {
    /// The cursor after the last entry that the snapshot includes.
    package var cursor: LogCursor
    /// The digest over the digests of all chunks, so that chunks of two snapshots are never mixed.
    package var digest: Digest

    package init(cursor: LogCursor, digest: Digest) {
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
package struct SnapshotResponse: Message {
    package var snapshot: SnapshotName
    /// The number of chunks in the snapshot. If a chunk is sent in pieces, each piece counts as a
    /// chunk.
    package var chunkCount: UInt64
    /// The position of the log's last entry at the time of the answer.
    package var headPosition: UInt64
    /// The server's clock, in milliseconds since 1970-01-01 UTC.
    package var wallMilliseconds: Int64
    /// An encoded `SnapshotChunk`, or a `SnapshotPiece` of one.
    package var chunk: [UInt8]

    package init(
        snapshot: SnapshotName, chunkCount: UInt64, headPosition: UInt64, wallMilliseconds: Int64,
        chunk: [UInt8]
    ) {
        self.snapshot = snapshot
        self.chunkCount = chunkCount
        self.headPosition = headPosition
        self.wallMilliseconds = wallMilliseconds
        self.chunk = chunk
    }

    package init(from reader: inout ByteReader) throws(ChangeSetDecodingError) {
        snapshot = try SnapshotName(from: &reader)
        chunkCount = try reader.readQuantity()
        headPosition = try reader.readQuantity()
        wallMilliseconds = try reader.readMilliseconds()
        chunk = try reader.readBlock()
    }

    package var expectedByteCount: Int { 256 + chunk.count }

    package func write(to writer: inout ByteWriter) {
        snapshot.write(to: &writer)
        writer.append(varint: chunkCount)
        writer.append(varint: headPosition)
        writer.append(milliseconds: wallMilliseconds)
        writer.append(block: chunk)
    }
}
