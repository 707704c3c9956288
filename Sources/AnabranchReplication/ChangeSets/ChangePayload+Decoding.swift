extension ChangePayload {
    /// Decodes a payload that came from the network or a file.
    ///
    /// Every length is checked before anything is allocated; no input can trap.
    ///
    /// - Parameter author: The replica of the change set's dot.
    /// - Throws: ``ChangeSetDecodingError`` with the offset of the first byte that could not be
    ///   read. Nothing has been stored; ask the sender for the change set again.
    package init(decoding bytes: [UInt8], author: ReplicaID) throws(ChangeSetDecodingError) {
        var decoder = try ChangePayloadDecoder(bytes, author: author)
        blocks = []
        while let block = try decoder.next() { blocks.append(block) }
    }
}

/// Reads a payload block by block, so that only one decoded block is in memory.
package struct ChangePayloadDecoder: Sendable {
    var reader: ByteReader
    let replicas: [ReplicaID]
    private let names: [WireName]
    let properties: [WireProperty]
    private var cellsLeft = Limits.maximumCells
    private var blocksLeft = Limits.maximumBlocks
    var blockCellLimit = Limits.maximumBlockCells
    /// The number of values of the block that is being read, as far as they are known, without
    /// nulls.
    private var blockCells = 0
    /// The approximate memory of what was decoded of that block.
    private var blockBytes = 0
    private let reserve: (@Sendable (_ byteCount: Int) -> Bool)?

    /// Reads the version and the tables at the payload's beginning.
    ///
    /// - Parameters:
    ///   - author: The replica of the change set's dot, which inserted records belong to.
    ///   - reserve: Called before something of a block is allocated, with the approximate memory of
    ///     the block so far, in bytes; false if there is too little. The bytes of texts and data,
    ///     which the payload has too, do not count.
    /// - Throws: ``ChangeSetDecodingError`` with the offset of the first byte that could not be
    ///   read.
    package init(
        _ bytes: [UInt8], author: ReplicaID,
        reserving reserve: (@Sendable (_ byteCount: Int) -> Bool)? = nil
    ) throws(ChangeSetDecodingError) {
        self.reserve = reserve
        reader = ByteReader(bytes)
        let version = try reader.readVarint()
        guard version == ChangePayload.version else {
            throw reader.failure(
                .unsupportedVersion, "this version does not know version \(version) of payloads")
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
        guard count <= Limits.maximumNames else {
            throw reader.failure(
                .limitExceeded, "a table has more than \(Limits.maximumNames) names")
        }
        return count
    }

    /// Subtracts values from the number that one change set may hold.
    ///
    /// - Parameter each: A factor of `count`, at most the number of bytes in the payload.
    mutating func spend(
        _ count: Int, times each: Int = 1, _ body: ByteReader
    ) throws(ChangeSetDecodingError) {
        guard count <= cellsLeft / max(each, 1) else {
            throw body.failure(
                .limitExceeded, "a change set has more than \(Limits.maximumCells) values")
        }
        cellsLeft -= count * each
    }

    /// Counts values of a block that take memory, and reserves it, before they are allocated.
    ///
    /// - Parameters:
    ///   - count: The number of values, at most the number of bytes in the payload.
    ///   - byteCount: The memory of all of them.
    mutating func keep(
        _ count: Int, byteCount: Int, _ body: ByteReader
    ) throws(ChangeSetDecodingError) {
        blockCells += count
        guard blockCells <= blockCellLimit else {
            throw body.failure(
                .limitExceeded,
                "a block has more than \(blockCellLimit) values: its author must save less at a "
                    + "time")
        }
        try reserve(byteCount: byteCount, body)
    }

    /// Reserves memory before it is allocated.
    mutating func reserve(byteCount: Int, _ body: ByteReader) throws(ChangeSetDecodingError) {
        guard let reserve else { return }
        blockBytes += byteCount
        guard reserve(blockBytes) else {
            throw body.failure(.noRoom, "there is no memory for \(blockBytes) bytes of a block")
        }
    }

    /// Reads the next block.
    ///
    /// - Returns: `nil` after the last block.
    /// - Throws: ``ChangeSetDecodingError`` with the offset of the first byte that could not be
    ///   read.
    package mutating func next() throws(ChangeSetDecodingError) -> ChangeBlock? {
        guard !reader.isAtEnd else { return nil }
        guard blocksLeft > 0 else {
            throw reader.failure(
                .limitExceeded, "a change set has more than \(Limits.maximumBlocks) blocks")
        }
        blocksLeft -= 1
        (blockCells, blockBytes) = (0, 0)
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
        // A decoded block has copies of all its bytes, so those of the payload are released early.
        if reader.isAtEnd { reader = ByteReader([]) }
        return block
    }

    /// The approximate memory of an array besides its elements.
    static let arrayBytes = 48

    func readName(_ body: inout ByteReader) throws(ChangeSetDecodingError) -> WireName {
        try Self.entry(of: names, &body)
    }

    static func entry<Entry>(
        of table: [Entry], _ body: inout ByteReader
    ) throws(ChangeSetDecodingError) -> Entry {
        let index = try body.readVarint()
        guard index < UInt64(table.count) else {
            throw body.failure(
                .malformed, "entry \(index) of a table with \(table.count) entries is used")
        }
        return table[Int(index)]
    }

    mutating func readRecords(
        _ body: inout ByteReader, inserting: Bool = false
    ) throws(ChangeSetDecodingError) -> [RecordID] {
        let count = try body.readCount()
        try spend(count, body)
        try keep(count, byteCount: count * MemoryLayout<RecordID>.stride, body)
        let runs =
            inserting
            ? [ReplicaRun(replica: replicas[0], count: count)]
            : try readReplicaRuns(&body, count: count)
        var records: [RecordID] = []
        records.reserveCapacity(count)
        var number: UInt64 = 0
        for run in runs {
            for _ in 0..<run.count {
                number &+= UInt64(bitPattern: try body.readSigned())
                records.append(
                    RecordID(replica: run.replica, number: try body.checked(recordNumber: number)))
            }
        }
        return records
    }

    /// Consecutive records of one replica.
    private struct ReplicaRun {
        let replica: ReplicaID
        let count: Int
    }

    private mutating func readReplicaRuns(
        _ body: inout ByteReader, count: Int
    ) throws(ChangeSetDecodingError) -> [ReplicaRun] {
        // Most lists have few runs. Those of a list with many are counted group by group.
        let group = 1 << 10
        var runs: [ReplicaRun] = []
        var missing = count
        while missing > 0 {
            if runs.count % group == group - 1 {
                try reserve(byteCount: group * MemoryLayout<ReplicaRun>.stride, body)
            }
            let replica = try Self.entry(of: replicas, &body)
            let length = try body.readCount()
            guard (1...missing).contains(length) else {
                throw body.failure(
                    .malformed, "a run has \(length) records where \(missing) are left")
            }
            runs.append(ReplicaRun(replica: replica, count: length))
            missing -= length
        }
        return runs
    }

    private mutating func readYieldingDeletes(
        _ body: inout ByteReader
    ) throws(ChangeSetDecodingError) -> YieldingDeleteBlock {
        let entity = try readName(&body)
        let records = try readRecords(&body)
        try reserve(
            byteCount: records.count * MemoryLayout<YieldingDeleteBlock.Delete>.stride, body)
        var deletes: [YieldingDeleteBlock.Delete] = []
        deletes.reserveCapacity(records.count)
        for record in records {
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
            throw body.failure(
                .malformed,
                "a block of links has \(lefts.count) left and \(rights.count) right ends")
        }
        try reserve(byteCount: lefts.count * MemoryLayout<LinkBlock.Link>.stride, body)
        var links = zip(lefts, rights).map { LinkBlock.Link(left: $0, right: $1) }
        guard property.type == .links || links.allSatisfy({ $0.left <= $0.right }) else {
            throw body.failure(
                .malformed, "the left end of a mutual link is not the smaller identity")
        }
        for side in sides {
            try spend(links.count, body)
            try keep(links.count, byteCount: links.count * Self.arrayBytes, body)
            for index in links.indices {
                links[index].place[keyPath: side] = try body.readPosition()
            }
        }
        if operation != Operation.link {
            for index in links.indices { links[index].observedTags = try readTags(&body) }
        }
        return LinkBlock(entity: entity, property: property, links: links)
    }

    /// The sides of the links that have positions. Only a list has them, and only its links can be
    /// moved.
    private func readOrderedSides(
        _ body: inout ByteReader, of property: WireProperty, _ operation: UInt64
    ) throws(ChangeSetDecodingError) -> [WritableKeyPath<LinkPosition, ListPosition?>] {
        let flags = try body.readByte()
        guard flags <= LinkPosition.allSides else {
            throw body.failure(
                .unsupportedVersion, "this version does not know all sides of a link")
        }
        let isList = property.rule == .list || !property.isMergeable
        guard isList || (flags == 0 && operation != Operation.move) else {
            throw body.failure(.malformed, "\(property) has no order")
        }
        return LinkPosition.sides(flags)
    }

    mutating func readTags(_ body: inout ByteReader) throws(ChangeSetDecodingError) -> [Stamp] {
        var tags: [Stamp] = []
        let count = try body.readCount(ofAtLeast: 9)
        try spend(count, body)
        guard count > 0 else { return [] }
        try keep(count, byteCount: Self.arrayBytes + count * MemoryLayout<Stamp>.stride, body)
        tags.reserveCapacity(count)
        for _ in 0..<count {
            let timestamp = try body.readTimestamp()
            tags.append(Stamp(timestamp: timestamp, replica: try Self.entry(of: replicas, &body)))
        }
        return tags
    }
}
