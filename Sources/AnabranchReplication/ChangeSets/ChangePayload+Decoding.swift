extension ChangePayload {
    /// Decodes a payload that came from a network or a file.
    ///
    /// - Parameter author: The replica of the change set's dot.
    /// - Throws: ``ChangeSetDecodingError`` with the offset; nothing is allocated for what is not
    ///   there, no input traps.
    public init(
        decoding bytes: [UInt8], author: ReplicaID
    ) throws(ChangeSetDecodingError) {
        var decoder = try ChangePayloadDecoder(bytes, author: author)
        blocks = []
        while let block = try decoder.next() { blocks.append(block) }
    }
}

/// Reads a payload block by block.
public struct ChangePayloadDecoder: Sendable {
    private var reader: ByteReader
    private var replicas: [ReplicaID]
    private var names: [WireName] = []
    private var properties: [WireProperty] = []
    private var cellsLeft = Limits.mostCells
    private var blocksLeft = Limits.mostBlocks

    public init(_ bytes: [UInt8], author: ReplicaID) throws(ChangeSetDecodingError) {
        reader = ByteReader(bytes)
        replicas = [author]
        let version = try reader.readVarint()
        guard version == ChangePayload.version else {
            throw reader.failure(
                .unsupportedVersion, "version \(version) of the payload is not known here")
        }
        for _ in 0..<(try reader.readCount(ofAtLeast: ReplicaID.byteCount)) {
            replicas.append(try reader.readReplica())
        }
        for _ in 0..<(try Self.readTableCount(&reader)) {
            names.append(WireName(try reader.readName()))
        }
        for _ in 0..<(try Self.readTableCount(&reader)) {
            properties.append(try reader.readProperty())
        }
    }

    private static func readTableCount(
        _ reader: inout ByteReader
    ) throws(ChangeSetDecodingError) -> Int {
        let count = try reader.readCount()
        guard count <= Limits.mostNames else {
            throw reader.failure(.limitExceeded, "a table has more than \(Limits.mostNames) names")
        }
        return count
    }

    /// Takes what a block claims from what a change set may hold in all, before it is allocated.
    ///
    /// - Parameter each: Not above the bytes of the payload, as a count of columns is.
    private mutating func spend(
        _ count: Int, times each: Int = 1, _ body: ByteReader
    ) throws(ChangeSetDecodingError) {
        guard count <= cellsLeft / max(each, 1) else {
            throw body.failure(
                .limitExceeded, "a change set has more than \(Limits.mostCells) values")
        }
        cellsLeft -= count * each
    }

    /// - Returns: `nil` behind the last block.
    public mutating func next() throws(ChangeSetDecodingError) -> ChangeBlock? {
        guard !reader.isAtEnd else { return nil }
        guard blocksLeft > 0 else {
            throw reader.failure(
                .limitExceeded, "a change set has more than \(Limits.mostBlocks) blocks")
        }
        blocksLeft -= 1
        let operation = try reader.readVarint()
        var body = try reader.readNested()
        let block: ChangeBlock
        switch operation {
        case Operation.insert: block = .insert(try readRows(&body, inserting: true))
        case Operation.update: block = .update(try readRows(&body, inserting: false))
        case Operation.delete:
            let entity = try readName(&body)
            block = .delete(RecordBlock(entity: entity, records: try readRecords(&body)))
        case Operation.link: block = .link(try readLinks(&body, withTags: false))
        case Operation.unlink: block = .unlink(try readLinks(&body, withTags: true))
        default: return .unknown(operation: operation, bytes: try body.readRaw(body.remaining))
        }
        try body.expectEnd()
        return block
    }

    private func readName(_ body: inout ByteReader) throws(ChangeSetDecodingError) -> WireName {
        try Self.entry(of: names, &body)
    }

    private static func entry<Entry>(
        of table: [Entry], _ body: inout ByteReader
    ) throws(ChangeSetDecodingError) -> Entry {
        let index = try body.readVarint()
        guard index < UInt64(table.count) else {
            throw body.failure(.malformed, "entry \(index) of a table of \(table.count) is named")
        }
        return table[Int(index)]
    }

    private mutating func readRows(
        _ body: inout ByteReader, inserting: Bool
    ) throws(ChangeSetDecodingError) -> RowBlock {
        let entity = try readName(&body)
        let records = try readRecords(&body, inserting: inserting)
        let used = try readColumnProperties(&body)
        try spend(records.count, times: used.count, body)
        var columns: [[Value]] = []
        for property in used {
            var column = try body.readNested()
            columns.append(try readColumn(&column, of: property, count: records.count))
            try column.expectEnd()
        }
        return RowBlock(entity: entity, records: records, properties: used, columns: columns)
    }

    private func readColumnProperties(
        _ body: inout ByteReader
    ) throws(ChangeSetDecodingError) -> [WireProperty] {
        var used: [WireProperty] = []
        var seen: Set<WireProperty> = []
        for _ in 0..<(try body.readCount()) {
            let property = try Self.entry(of: properties, &body)
            guard !property.type.isLinks, seen.insert(property).inserted else {
                throw body.failure(.malformed, "\(property) can't be a column here")
            }
            used.append(property)
        }
        return used
    }

    private mutating func readRecords(
        _ body: inout ByteReader, inserting: Bool = false
    ) throws(ChangeSetDecodingError) -> [RecordID] {
        let count = try body.readCount()
        try spend(count, body)
        var runs: [(replica: ReplicaID, count: Int)] = []
        var missing = count
        if inserting {
            runs = [(replicas[0], count)]
        } else {
            while missing > 0 {
                let replica = try Self.entry(of: replicas, &body)
                let length = try body.readCount()
                guard (1...missing).contains(length) else {
                    throw body.failure(.malformed, "a run of records has \(length) of \(missing)")
                }
                runs.append((replica, length))
                missing -= length
            }
        }
        var records: [RecordID] = []
        records.reserveCapacity(count)
        var number: UInt64 = 0
        for run in runs {
            for _ in 0..<run.count {
                number &+= UInt64(bitPattern: try body.readSigned())
                records.append(
                    RecordID(
                        replica: run.replica, number: try body.checked(recordNumber: number)))
            }
        }
        return records
    }

    private func readColumn(
        _ column: inout ByteReader, of property: WireProperty, count: Int
    ) throws(ChangeSetDecodingError) -> [Value] {
        var runs: [(tag: UInt8, count: Int)] = []
        var missing = count
        for _ in 0..<(try column.readCount(ofAtLeast: 2)) {
            let tag = try column.readByte()
            let length = try column.readVarint()
            guard length >= 1, length <= UInt64(missing) else {
                throw column.failure(.malformed, "a run of values has \(length) of \(missing)")
            }
            guard property.type.accepts(tag: tag) else {
                throw column.failure(.malformed, "\(property) can't hold a value of tag \(tag)")
            }
            runs.append((tag, Int(length)))
            missing -= Int(length)
        }
        guard missing == 0 else {
            throw column.failure(.malformed, "a column lacks \(missing) values")
        }
        let range = property.type.integers
        var bodies = try column.readNested()
        var values: [Value] = []
        values.reserveCapacity(count)
        for run in runs {
            if run.tag == ValueTag.null {
                values.append(contentsOf: repeatElement(.null, count: run.count))
                continue
            }
            for _ in 0..<run.count {
                if let value = try bodies.readBody(tag: run.tag) {
                    if let range, case .integer(let integer) = value, !range.contains(integer) {
                        throw bodies.failure(.malformed, "\(integer) is too wide for \(property)")
                    }
                    values.append(value)
                } else {
                    values.append(.reference(try readReference(&column)))
                }
            }
        }
        try bodies.expectEnd()
        return values
    }

    private func readReference(
        _ column: inout ByteReader
    ) throws(ChangeSetDecodingError) -> RecordID {
        let replica = try Self.entry(of: replicas, &column)
        return RecordID(replica: replica, number: try column.readRecordNumber())
    }

    private mutating func readLinks(
        _ body: inout ByteReader, withTags: Bool
    ) throws(ChangeSetDecodingError) -> LinkBlock {
        let entity = try readName(&body)
        let property = try Self.entry(of: properties, &body)
        guard property.type.isLinks else {
            throw body.failure(.malformed, "\(property) has no links")
        }
        guard try body.readByte() == 0 else {
            throw body.failure(.unsupportedVersion, "positions of links are not known here")
        }
        let lefts = try readRecords(&body)
        let rights = try readRecords(&body)
        guard lefts.count == rights.count else {
            throw body.failure(.malformed, "links have \(lefts.count) and \(rights.count) ends")
        }
        var links = zip(lefts, rights).map { LinkBlock.Link(left: $0, right: $1) }
        guard property.type == .links || links.allSatisfy({ $0.left <= $0.right }) else {
            throw body.failure(.malformed, "a mutual link does not begin with its smaller end")
        }
        if withTags {
            for index in links.indices { links[index].tagsSeen = try readTags(&body) }
        }
        return LinkBlock(entity: entity, property: property, links: links)
    }

    private mutating func readTags(
        _ body: inout ByteReader
    ) throws(ChangeSetDecodingError) -> [Stamp] {
        var tags: [Stamp] = []
        let count = try body.readCount(ofAtLeast: 9)
        try spend(count, body)
        for _ in 0..<count {
            let timestamp = try body.readTimestamp()
            tags.append(Stamp(timestamp: timestamp, replica: try Self.entry(of: replicas, &body)))
        }
        return tags
    }
}

extension WireType {
    /// What an integer of this type may be; `nil` where every 64-bit integer will do.
    package var integers: ClosedRange<Int64>? {
        switch self {
        case .integer16: -32_768...32_767
        case .integer32: -2_147_483_648...2_147_483_647
        default: nil
        }
    }

    /// Whether a value of this tag may stand in a property of this type: null and values of later
    /// formats everywhere, and anything in a property of a later type.
    func accepts(tag: UInt8) -> Bool {
        if tag == ValueTag.null || tag >= ValueTag.firstWithLength { return true }
        switch self {
        case .bool: return tag == ValueTag.bool
        case .integer16, .integer32, .integer64: return tag == ValueTag.integer
        case .float, .double: return tag == ValueTag.double
        case .decimal: return tag == ValueTag.decimal
        case .string: return tag == ValueTag.string
        case .date: return tag == ValueTag.date
        case .data: return tag == ValueTag.data
        case .uuid: return tag == ValueTag.uuid
        case .uri: return tag == ValueTag.uri
        case .reference: return tag == ValueTag.reference
        case .links, .mutualLinks: return false
        default: return true
        }
    }
}
