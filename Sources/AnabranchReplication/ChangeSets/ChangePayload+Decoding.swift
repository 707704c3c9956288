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
    var reader: ByteReader
    let replicas: [ReplicaID]
    private let names: [WireName]
    let properties: [WireProperty]
    private var cellsLeft = Limits.mostCells
    private var blocksLeft = Limits.mostBlocks

    public init(_ bytes: [UInt8], author: ReplicaID) throws(ChangeSetDecodingError) {
        reader = ByteReader(bytes)
        let version = try reader.readVarint()
        guard version == ChangePayload.version else {
            throw reader.failure(
                .unsupportedVersion, "version \(version) of the payload is not known here")
        }
        var replicas = [author]
        for _ in 0..<(try reader.readCount(ofAtLeast: ReplicaID.byteCount)) {
            replicas.append(try reader.readReplica())
        }
        self.replicas = replicas
        var names: [WireName] = []
        for _ in 0..<(try Self.readTableCount(&reader)) {
            names.append(WireName(try reader.readName()))
        }
        self.names = names
        var properties: [WireProperty] = []
        for _ in 0..<(try Self.readTableCount(&reader)) {
            properties.append(try reader.readProperty())
        }
        self.properties = properties
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
    mutating func spend(
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
        case Operation.insert: block = .insert(try readRows(&body, operation))
        case Operation.update: block = .update(try readRows(&body, operation))
        case Operation.add: block = .add(try readRows(&body, operation))
        case Operation.write: block = .write(try readSiblings(&body))
        case Operation.yieldingDelete: block = .yieldingDelete(try readYieldingDeletes(&body))
        case Operation.delete:
            let entity = try readName(&body)
            block = .delete(RecordBlock(entity: entity, records: try readRecords(&body)))
        case Operation.link: block = .link(try readLinks(&body, operation))
        case Operation.unlink: block = .unlink(try readLinks(&body, operation))
        case Operation.move: block = .move(try readLinks(&body, operation))
        default: return .unknown(operation: operation, bytes: try body.readRaw(body.remaining))
        }
        try body.expectEnd()
        // The last block has copies of all that it says: the bytes may go while it is worked on.
        if reader.isAtEnd { reader = ByteReader([]) }
        return block
    }

    func readName(_ body: inout ByteReader) throws(ChangeSetDecodingError) -> WireName {
        try Self.entry(of: names, &body)
    }

    static func entry<Entry>(
        of table: [Entry], _ body: inout ByteReader
    ) throws(ChangeSetDecodingError) -> Entry {
        let index = try body.readVarint()
        guard index < UInt64(table.count) else {
            throw body.failure(.malformed, "entry \(index) of a table of \(table.count) is named")
        }
        return table[Int(index)]
    }

    mutating func readRecords(
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

    private mutating func readYieldingDeletes(
        _ body: inout ByteReader
    ) throws(ChangeSetDecodingError) -> YieldingDeleteBlock {
        let entity = try readName(&body)
        var deletes: [YieldingDeleteBlock.Delete] = []
        for record in try readRecords(&body) {
            deletes.append(.init(record: record, stampsSeen: try readTags(&body)))
        }
        return YieldingDeleteBlock(entity: entity, deletes: deletes)
    }

    private mutating func readLinks(
        _ body: inout ByteReader, _ operation: UInt64
    ) throws(ChangeSetDecodingError) -> LinkBlock {
        let entity = try readName(&body)
        let property = try Self.entry(of: properties, &body)
        guard property.type.isLinks else {
            throw body.failure(.malformed, "\(property) has no links")
        }
        let sides = try readOrderedSides(&body, of: property, operation)
        let lefts = try readRecords(&body)
        let rights = try readRecords(&body)
        guard lefts.count == rights.count else {
            throw body.failure(.malformed, "links have \(lefts.count) and \(rights.count) ends")
        }
        var links = zip(lefts, rights).map { LinkBlock.Link(left: $0, right: $1) }
        guard property.type == .links || links.allSatisfy({ $0.left <= $0.right }) else {
            throw body.failure(.malformed, "a mutual link does not begin with its smaller end")
        }
        for side in sides {
            try spend(links.count, body)
            for index in links.indices {
                links[index].place[keyPath: side] = try body.readPosition()
            }
        }
        if operation != Operation.link {
            for index in links.indices { links[index].tagsSeen = try readTags(&body) }
        }
        return LinkBlock(entity: entity, property: property, links: links)
    }

    /// Which sides have positions. Only a list has them, and only its links are moved.
    private func readOrderedSides(
        _ body: inout ByteReader, of property: WireProperty, _ operation: UInt64
    ) throws(ChangeSetDecodingError) -> [WritableKeyPath<LinkPlace, ListPosition?>] {
        let flags = try body.readByte()
        guard flags <= LinkPlace.allSides else {
            throw body.failure(.unsupportedVersion, "a link has more sides than are known here")
        }
        let isList = property.rule == .list || !property.isMergeable
        guard isList || (flags == 0 && operation != Operation.move) else {
            throw body.failure(.malformed, "\(property) has no order")
        }
        return LinkPlace.sides(flags)
    }

    mutating func readTags(
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
