package import AnabranchProtocol
import AnabranchReplication

extension ZoneService {
    /// The checksum of the merged state and summaries of ranges, all at one position of the log.
    ///
    /// The checksum is stored. A range is read record by record, within limits of steps and bytes.
    /// A response may therefore hold only the first ranges, and only the beginning of a large one.
    ///
    /// - Throws: `unknownEpoch` if the client knows another log: send hello. `recordTooLarge` if
    ///   the links of a record need more memory than a request has.
    package func checksums(
        _ request: ChecksumsRequest, _ memory: RequestMemory? = nil
    ) throws(ProtocolError) -> ChecksumsResponse {
        try named {
            let room = memory.map(DecodingRoom.ofReading)
            defer { room?.release() }
            guard request.ranges.count <= SyncProtocol.maximumRanges else {
                throw ProtocolError(
                    .malformedRequest,
                    "Can't sum \(request.ranges.count) ranges at once: ask for "
                        + "\(SyncProtocol.maximumRanges) at most.",
                    details: ["field": "ranges", "limit": "\(SyncProtocol.maximumRanges)"])
            }
            try memory?.need(
                request.ranges.count * limits.ranges.listed * Self.bytesPerEntry)
            return try storage.read { reader in
                let head = try reader.logState().head
                guard head.epoch == request.epoch else {
                    throw ProtocolError(
                        .unknownEpoch,
                        "Can't sum the state of this log because it is of another epoch: say "
                            + "hello.")
                }
                return ChecksumsResponse(
                    position: head.position, wallMilliseconds: wallMilliseconds(),
                    checksum: try reader.checksum(),
                    summaries: try summaries(of: request.ranges, reader, in: room))
            }
        }
    }

    /// The number of replicas that cost as much as a record.
    private static let replicasInStep = 16
    /// The memory of a listed record in the answer.
    private static let bytesPerEntry = 128

    private func summaries(
        of ranges: [RecordRange], _ reader: any ZoneReading, in room: DecodingRoom?
    ) throws -> [RangeSummary] {
        var summaries: [RangeSummary] = []
        var steps = 0
        // Each range has to look where the records of each replica begin.
        let stepsOfRange = Int(clamping: try reader.use().replicas) / Self.replicasInStep
        for range in ranges {
            guard summaries.isEmpty || steps < limits.ranges.steps else { break }
            let (summary, taken) = try reader.summary(
                of: range, steps: limits.ranges.steps - steps, limits: limits.ranges, in: room)
            steps += taken + stepsOfRange
            summaries.append(summary)
        }
        return summaries
    }
}

extension ZoneReading {
    func summary(
        of range: RecordRange, steps: Int, limits: RangeSummarizer.Limits, in room: DecodingRoom?
    ) throws -> (summary: RangeSummary, steps: Int) {
        let count = try recordCount(in: range, limit: limits.steps)
        var cutter = RangeSummarizer(range, count: count, steps: steps, limits: limits)
        let isWhole = try forEachRecord(in: range, in: room) { cutter.take($0) }
        return cutter.finish(isWhole: isWhole)
    }

    /// Calls `body` with the records of a range in ascending order, until it returns false.
    ///
    /// - Parameter room: The memory for what is read, and for a record as it is written; `nil` for
    ///   no limit.
    ///
    /// - Returns: True if `body` returned true for every record of the range.
    @discardableResult
    func forEachRecord(
        in range: RecordRange, in room: DecodingRoom?, _ body: (CanonicalRecord) throws -> Bool
    ) throws -> Bool {
        var size = ImageSize()
        return try forEachRecord(
            in: range,
            reserving: {
                size = $1
                try room?.need(size, for: $0)
            }
        ) { id, read in
            let record = try read()
            var written = size
            written.addNames(of: record)
            try room?.need(written, for: id)
            return try body(record)
        }
    }
}
