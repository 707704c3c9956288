package import AnabranchReplication

/// Asks for the checksum of the zone's state and for summaries of parts of it.
package struct ChecksumsRequest: Message {
    /// The epoch that the client assumes the zone to have.
    package var epoch: EpochID
    /// The ranges to summarize. If there are none, the answer contains only the checksum of the
    /// whole state.
    package var ranges: [RecordRange]

    package init(epoch: EpochID, ranges: [RecordRange] = []) {
        self.epoch = epoch
        self.ranges = ranges
    }

    package init(from reader: inout ByteReader) throws(ChangeSetDecodingError) {
        epoch = try reader.readReplica()
        ranges = []
        // A range has at least two flags.
        for _ in 0..<(try reader.readCount(ofAtLeast: 2)) {
            let lower = try reader.readBound()
            let range = RecordRange(lower: lower, upper: try reader.readBound())
            guard !range.isEmpty else {
                throw reader.failure(.malformed, "a range is empty")
            }
            ranges.append(range)
        }
    }

    package func write(to writer: inout ByteWriter) {
        writer.append(replica: epoch)
        writer.append(count: ranges.count)
        for range in ranges {
            writer.append(bound: range.lower)
            writer.append(bound: range.upper)
        }
    }
}

/// The checksum of the zone's state at one position, and summaries of the first of the requested
/// ranges.
package struct ChecksumsResponse: Message {
    /// The position of the log's last entry at the time of the answer. The state includes that
    /// entry.
    package var position: UInt64
    /// The server's clock, in milliseconds since 1970-01-01 UTC.
    package var wallMilliseconds: Int64
    /// The checksum of the whole state. The zone stores it, and updates it with every entry.
    package var checksum: StateChecksum
    /// The summaries of the first ranges, in the order of the request. There is at least one if a
    /// range was requested; ask again for the missing ones.
    package var summaries: [RangeSummary]

    package init(
        position: UInt64, wallMilliseconds: Int64, checksum: StateChecksum,
        summaries: [RangeSummary] = []
    ) {
        self.position = position
        self.wallMilliseconds = wallMilliseconds
        self.checksum = checksum
        self.summaries = summaries
    }

    package init(from reader: inout ByteReader) throws(ChangeSetDecodingError) {
        position = try reader.readQuantity()
        wallMilliseconds = try reader.readMilliseconds()
        checksum = try reader.readChecksum()
        summaries = []
        // A summary has at least a kind and a count.
        for _ in 0..<(try reader.readCount(ofAtLeast: 2)) {
            summaries.append(try reader.readSummary())
        }
    }

    package func write(to writer: inout ByteWriter) {
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
            throw failure(.unsupportedVersion, "this version does not know this kind of summary")
        }
    }
}

/// The numbers that stand for the kinds of summaries in the format.
private enum SummaryKind {
    static let parts: UInt8 = 0
    static let records: UInt8 = 1
}
