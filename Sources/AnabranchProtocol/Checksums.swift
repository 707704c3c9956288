public import AnabranchReplication

/// Asks what the checksum of the zone's state is, and of parts of it.
public struct ChecksumsRequest: Message {
    public static let title = "checksums request"

    /// The epoch that the client believes the zone to be in.
    public var epoch: EpochID
    /// Parts to look into; where there are none, only the whole is told.
    public var ranges: [RecordRange]

    public init(epoch: EpochID, ranges: [RecordRange] = []) {
        self.epoch = epoch
        self.ranges = ranges
    }

    public init(from reader: inout ByteReader) throws(ChangeSetDecodingError) {
        epoch = try reader.readReplica()
        ranges = []
        // Two flags.
        for _ in 0..<(try reader.readCount(ofAtLeast: 2)) {
            let lower = try reader.readBound()
            let range = RecordRange(lower: lower, upper: try reader.readBound())
            guard !range.isEmpty else {
                throw reader.failure(.malformed, "a range has no identity in it")
            }
            ranges.append(range)
        }
    }

    public func write(to writer: inout ByteWriter) {
        writer.append(replica: epoch)
        writer.append(count: ranges.count)
        for range in ranges {
            writer.append(bound: range.lower)
            writer.append(bound: range.upper)
        }
    }
}

/// The checksum of the zone's state at one position, and what it has in the first of the ranges
/// that were asked for.
public struct ChecksumsResponse: Message {
    public static let title = "checksums response"

    /// Of the log's last entry when the answer was made: the state is that behind it.
    public var position: UInt64
    /// The server's clock, since 1970-01-01 UTC.
    public var wallMilliseconds: Int64
    /// Of the whole state, as the zone keeps it.
    public var checksum: StateChecksum
    /// At least one where one was asked for; ask again for those that are missing.
    public var summaries: [RangeSummary]

    public init(
        position: UInt64, wallMilliseconds: Int64, checksum: StateChecksum,
        summaries: [RangeSummary] = []
    ) {
        self.position = position
        self.wallMilliseconds = wallMilliseconds
        self.checksum = checksum
        self.summaries = summaries
    }

    public init(from reader: inout ByteReader) throws(ChangeSetDecodingError) {
        position = try reader.readQuantity()
        wallMilliseconds = try reader.readMilliseconds()
        checksum = try reader.readChecksum()
        summaries = []
        // A kind and a count.
        for _ in 0..<(try reader.readCount(ofAtLeast: 2)) {
            summaries.append(try reader.readSummary())
        }
    }

    public func write(to writer: inout ByteWriter) {
        writer.append(varint: position)
        writer.append(milliseconds: wallMilliseconds)
        writer.append(checksum: checksum)
        writer.append(count: summaries.count)
        for summary in summaries { writer.append(summary: summary) }
    }
}

extension ByteWriter {
    fileprivate mutating func append(bound: RecordID?) {
        append(bound) { $0.append(record: $1) }
    }

    fileprivate mutating func append(summary: RangeSummary) {
        switch summary {
        case .parts(let parts):
            append(byte: SummaryKind.parts)
            append(count: parts.count)
            for part in parts {
                append(bound: part.upper)
                append(checksum: part.checksum)
            }
        case .records(let entries):
            append(byte: SummaryKind.records)
            append(count: entries.count)
            for entry in entries {
                append(record: entry.record)
                append(checksum: entry.checksum)
            }
        }
    }
}

extension ByteReader {
    fileprivate mutating func readBound() throws(ChangeSetDecodingError) -> RecordID? {
        try readOptional { (reader) throws(ChangeSetDecodingError) in try reader.readRecord() }
    }

    fileprivate mutating func readSummary() throws(ChangeSetDecodingError) -> RangeSummary {
        switch try readByte() {
        case SummaryKind.parts:
            var parts: [RangeSummary.Part] = []
            for _ in 0..<(try readCount(ofAtLeast: 1 + StateChecksum.byteCount)) {
                let upper = try readBound()
                parts.append(.init(upper: upper, checksum: try readChecksum()))
            }
            return .parts(parts)
        case SummaryKind.records:
            var entries: [RangeSummary.Entry] = []
            let least = ReplicaID.byteCount + 1 + StateChecksum.byteCount
            for _ in 0..<(try readCount(ofAtLeast: least)) {
                let record = try readRecord()
                entries.append(.init(record: record, checksum: try readChecksum()))
            }
            return .records(entries)
        default:
            throw failure(.unsupportedVersion, "summaries of this kind are not known here")
        }
    }
}

/// What a range is told by.
private enum SummaryKind {
    static let parts: UInt8 = 0
    static let records: UInt8 = 1
}
