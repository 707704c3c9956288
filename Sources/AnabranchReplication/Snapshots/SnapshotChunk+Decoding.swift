extension SnapshotChunk {
    /// Decodes a chunk that came from the network or a file.
    ///
    /// Every length is checked before anything is allocated; no input can trap.
    ///
    /// - Throws: ``ChangeSetDecodingError`` with the offset of the first byte that could not be
    ///   read. Nothing has been stored; ask for the chunk again.
    package init(decoding bytes: [UInt8]) throws(ChangeSetDecodingError) {
        // A chunk begins like a payload, with a version and tables.
        var payload = try ChangePayloadDecoder(bytes, author: Self.noReplica)
        // All links of one record are in one chunk.
        payload.blockCellLimit = Limits.maximumCells
        while !payload.reader.isAtEnd {
            let block = try payload.reader.readVarint()
            var body = try payload.reader.readNested()
            switch block {
            case SnapshotBlock.heads: try readHeads(&body)
            case SnapshotBlock.rows: rows.append(try payload.readSnapshotRows(&body))
            case SnapshotBlock.record:
                try payload.spend(body.remaining / 28 + 1, body)
                records.append(try CanonicalRecord(decoding: body.readRaw(body.remaining)))
            case SnapshotBlock.links: links.append(try payload.readSnapshotLinks(&body))
            default:
                throw body.failure(
                    .unsupportedVersion, "this version does not know block \(block) of snapshots")
            }
            try body.expectEnd()
        }
    }

    private mutating func readHeads(_ body: inout ByteReader) throws(ChangeSetDecodingError) {
        let count = try body.readCount(ofAtLeast: ReplicaID.byteCount + 1 + Digest.byteCount)
        heads.reserveCapacity(heads.count + count)
        for _ in 0..<count {
            let dot = try body.readDot()
            heads.append(Head(dot: dot, origin: try body.readDigest()))
        }
    }
}

extension ChangePayloadDecoder {
    fileprivate mutating func readSnapshotRows(
        _ body: inout ByteReader
    ) throws(ChangeSetDecodingError) -> SnapshotChunk.Rows {
        // A state may have every property that an insert may write.
        let block = try readRows(&body, Operation.insert, ofAuthor: false)
        var stamps: [[SnapshotChunk.StampRun]] = []
        for _ in block.columns {
            stamps.append(try readStampRuns(&body, count: block.records.count))
        }
        return SnapshotChunk.Rows(block: block, stamps: stamps)
    }

    private func readStampRuns(
        _ body: inout ByteReader, count: Int
    ) throws(ChangeSetDecodingError) -> [SnapshotChunk.StampRun] {
        var runs: [SnapshotChunk.StampRun] = []
        var missing = count
        // A run has at least a time, a replica and a length.
        let runCount = try body.readCount(ofAtLeast: 10)
        runs.reserveCapacity(runCount)
        for _ in 0..<runCount {
            let stamp = try readStamp(&body)
            let length = try body.readVarint()
            guard length >= 1, length <= UInt64(missing) else {
                throw body.failure(
                    .malformed, "a run has \(length) stamps where \(missing) are left")
            }
            runs.append(.init(stamp: stamp, count: Int(length)))
            missing -= Int(length)
        }
        guard missing == 0 else {
            throw body.failure(.malformed, "a column lacks \(missing) stamps")
        }
        return runs
    }

    fileprivate mutating func readSnapshotLinks(
        _ body: inout ByteReader
    ) throws(ChangeSetDecodingError) -> SnapshotChunk.Links {
        let property = try Self.entry(of: properties, &body)
        guard property.type.isLinks else {
            throw body.failure(.malformed, "\(property) has no links")
        }
        let lefts = try readRecords(&body)
        let rights = try readRecords(&body)
        guard lefts.count == rights.count else {
            throw body.failure(
                .malformed,
                "a block of links has \(lefts.count) left and \(rights.count) right ends")
        }
        var links: [SnapshotChunk.Link] = []
        links.reserveCapacity(lefts.count)
        for (left, right) in zip(lefts, rights) {
            links.append(
                .init(left: left, right: right, tags: try readSnapshotTags(&body, of: property)))
        }
        return SnapshotChunk.Links(property: property, links: links)
    }

    private mutating func readSnapshotTags(
        _ body: inout ByteReader, of property: WireProperty
    ) throws(ChangeSetDecodingError) -> LinkTags {
        let count = try body.readCount(ofAtLeast: 9)
        try spend(count, body)
        var tags: [LinkTags.Tag] = []
        for _ in 0..<count {
            let stamp = try readStamp(&body)
            guard tags.last.map({ $0.stamp < stamp }) ?? true else {
                throw body.failure(.malformed, "the tags of a link are not in ascending order")
            }
            tags.append(.init(stamp, at: property.rule == .list ? try body.readPlace() : .none))
        }
        guard !tags.isEmpty else { throw body.failure(.malformed, "a link has no tag") }
        return LinkTags(placed: tags)
    }

    private func readStamp(_ body: inout ByteReader) throws(ChangeSetDecodingError) -> Stamp {
        let timestamp = try body.readTimestamp()
        return Stamp(timestamp: timestamp, replica: try Self.entry(of: replicas, &body))
    }
}
