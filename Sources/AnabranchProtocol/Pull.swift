public import AnabranchReplication

/// Asks for the entries of the log behind a cursor.
public struct PullRequest: Message {
    public static let title = "pull request"

    /// `nil` asks from the beginning of the zone's present epoch.
    public var cursor: LogCursor?
    /// Bytes of encoded change sets that the answer may hold; one larger set comes alone.
    public var byteLimit: UInt64

    public init(cursor: LogCursor?, byteLimit: UInt64) {
        self.cursor = cursor
        self.byteLimit = byteLimit
    }

    public init(from reader: inout ByteReader) throws(ChangeSetDecodingError) {
        cursor = try reader.readOptional { (reader) throws(ChangeSetDecodingError) in
            try reader.readCursor()
        }
        byteLimit = try reader.readQuantity()
    }

    public func write(to writer: inout ByteWriter) {
        writer.append(cursor) { $0.append(cursor: $1) }
        writer.append(varint: byteLimit)
    }
}

/// The entries behind the cursor, in the order of the log and without gaps.
public struct PullResponse: Message {
    public static let title = "pull response"

    /// The cursor behind the last entry given; where there is none, the cursor that was sent.
    public var cursor: LogCursor
    /// Of the log's last entry when the answer was made. More is there while it is greater than
    /// the cursor's.
    public var headPosition: UInt64
    /// The server's clock, since 1970-01-01 UTC.
    public var wallMilliseconds: Int64
    /// Encoded change sets. The first has the position behind the cursor that was sent.
    public var changeSets: [[UInt8]]

    public init(
        cursor: LogCursor, headPosition: UInt64, wallMilliseconds: Int64, changeSets: [[UInt8]]
    ) {
        self.cursor = cursor
        self.headPosition = headPosition
        self.wallMilliseconds = wallMilliseconds
        self.changeSets = changeSets
    }

    public init(from reader: inout ByteReader) throws(ChangeSetDecodingError) {
        cursor = try reader.readCursor()
        headPosition = try reader.readQuantity()
        wallMilliseconds = try reader.readMilliseconds()
        changeSets = try reader.readChangeSets()
    }

    public func write(to writer: inout ByteWriter) {
        writer.append(cursor: cursor)
        writer.append(varint: headPosition)
        writer.append(milliseconds: wallMilliseconds)
        writer.append(changeSets: changeSets)
    }
}

extension ByteWriter {
    /// A count, then each change set with its length.
    mutating func append(changeSets: [[UInt8]]) {
        append(count: changeSets.count)
        for changeSet in changeSets { append(block: changeSet) }
    }
}

extension ByteReader {
    mutating func readChangeSets() throws(ChangeSetDecodingError) -> [[UInt8]] {
        // More change sets than their least size allows would be many small allocations.
        let count = try readCount(ofAtLeast: ChangeSet.leastByteCount)
        var changeSets: [[UInt8]] = []
        changeSets.reserveCapacity(count)
        for _ in 0..<count { changeSets.append(try readBlock()) }
        return changeSets
    }
}
