public import AnabranchReplication

/// What a client says first: who it is, what it last made, how far it has taken in the log.
public struct HelloRequest: Message {
    public static let title = "hello request"

    public var replica: ReplicaID
    /// The last change set that the client made under its replica ID; `nil` before the first.
    public var last: Head?
    /// `nil` before the first pull from the zone.
    public var cursor: LogCursor?
    /// The client's clock, since 1970-01-01 UTC.
    public var wallMilliseconds: Int64

    /// The newest of a replica's change sets, and which history it ends.
    public struct Head: Hashable, Sendable {
        public var sequence: UInt64
        public var origin: Digest

        public init(sequence: UInt64, origin: Digest) {
            self.sequence = sequence
            self.origin = origin
        }
    }

    public init(replica: ReplicaID, last: Head?, cursor: LogCursor?, wallMilliseconds: Int64) {
        self.replica = replica
        self.last = last
        self.cursor = cursor
        self.wallMilliseconds = wallMilliseconds
    }

    public init(from reader: inout ByteReader) throws(ChangeSetDecodingError) {
        replica = try reader.readReplica()
        last = try reader.readOptional { (reader) throws(ChangeSetDecodingError) in
            let sequence = try reader.readSequence()
            return Head(sequence: sequence, origin: try reader.readDigest())
        }
        cursor = try reader.readOptional { (reader) throws(ChangeSetDecodingError) in
            try reader.readCursor()
        }
        wallMilliseconds = try reader.readMilliseconds()
    }

    public func write(to writer: inout ByteWriter) {
        writer.append(replica: replica)
        writer.append(last) { writer, head in
            writer.append(varint: head.sequence)
            writer.append(digest: head.origin)
        }
        writer.append(cursor) { $0.append(cursor: $1) }
        writer.append(milliseconds: wallMilliseconds)
    }
}

/// What the zone answers: which log it has, and what it holds of the client.
public struct HelloResponse: Message {
    public static let title = "hello response"

    public var epoch: EpochID
    /// The lives of the log before the present one, oldest first: who followed one of them may go
    /// on here, however far the log went backwards.
    public var earlierEpochs: [EpochID]
    /// Of the last entry of the log; zero while it is empty.
    public var headPosition: UInt64
    /// Of the last entry that the log keeps only the name of: who has not taken in the log up to
    /// there takes a snapshot. Zero while the log is whole.
    public var startPosition: UInt64
    /// Whether a snapshot is less work than the log for a client that has nothing of it.
    public var isSnapshotAdvised: Bool
    /// Whether the client's cursor lies in this log; true also where it sent none.
    public var isCursorKnown: Bool
    /// The highest sequence number that the zone holds of the client's replica; zero for none.
    public var lastSequence: UInt64
    /// The origin that the zone holds under the client's last sequence number, or under its own
    /// last one where that is less; `nil` where it holds nothing of the replica. Another one than
    /// the client's is a fork.
    public var origin: Digest?
    /// The server's clock, since 1970-01-01 UTC.
    public var wallMilliseconds: Int64
    /// Bytes of a request's body, after decompression.
    public var largestBody: UInt64

    public init(
        epoch: EpochID, earlierEpochs: [EpochID] = [], headPosition: UInt64,
        startPosition: UInt64 = 0, isSnapshotAdvised: Bool = false, isCursorKnown: Bool,
        lastSequence: UInt64,
        origin: Digest?, wallMilliseconds: Int64, largestBody: UInt64
    ) {
        self.epoch = epoch
        self.earlierEpochs = earlierEpochs
        self.headPosition = headPosition
        self.startPosition = startPosition
        self.isSnapshotAdvised = isSnapshotAdvised
        self.isCursorKnown = isCursorKnown
        self.lastSequence = lastSequence
        self.origin = origin
        self.wallMilliseconds = wallMilliseconds
        self.largestBody = largestBody
    }

    public init(from reader: inout ByteReader) throws(ChangeSetDecodingError) {
        epoch = try reader.readReplica()
        earlierEpochs = []
        for _ in 0..<(try reader.readCount(ofAtLeast: EpochID.byteCount)) {
            earlierEpochs.append(try reader.readReplica())
        }
        headPosition = try reader.readQuantity()
        startPosition = try reader.readQuantity()
        isSnapshotAdvised = try reader.readFlag()
        isCursorKnown = try reader.readFlag()
        lastSequence = try reader.readQuantity()
        origin = try reader.readOptional { (reader) throws(ChangeSetDecodingError) in
            try reader.readDigest()
        }
        wallMilliseconds = try reader.readMilliseconds()
        largestBody = try reader.readQuantity()
    }

    public func write(to writer: inout ByteWriter) {
        writer.append(replica: epoch)
        writer.append(count: earlierEpochs.count)
        for epoch in earlierEpochs { writer.append(replica: epoch) }
        writer.append(varint: headPosition)
        writer.append(varint: startPosition)
        writer.append(byte: isSnapshotAdvised ? 1 : 0)
        writer.append(byte: isCursorKnown ? 1 : 0)
        writer.append(varint: lastSequence)
        writer.append(origin) { $0.append(digest: $1) }
        writer.append(milliseconds: wallMilliseconds)
        writer.append(varint: largestBody)
    }
}
