/// Encodes a payload block by block.
package struct ChangePayloadEncoder: Sendable {
    private var tables: PayloadTables
    private var blocks = ByteWriter()
    private var blockCount = 0

    /// Indicates whether the payload so far is within ``Limits``. A reader refuses a payload that
    /// is not.
    package var isWithinLimits: Bool {
        cellCount <= Limits.maximumCells && blockCount <= Limits.maximumBlocks
            && largestBlockCells <= Limits.maximumBlockCells
            && tables.isWithinLimits && blocks.count <= Limits.largestPart
    }

    /// The number of bytes of the appended blocks.
    package var byteCount: Int { blocks.count }
    /// The number of values, record identities and tags in the appended blocks.
    package private(set) var cellCount = 0
    /// The greatest number of values of one block, without the nulls of rows.
    private var largestBlockCells = 0
    /// Indicates whether no block was appended.
    package var isEmpty: Bool { blockCount == 0 }

    /// Creates an encoder for a change set of this replica.
    package init(author: ReplicaID) { tables = PayloadTables(author: author) }

    /// Appends a block of rows. An empty block is left out.
    package mutating func append(_ rows: RowBlockEncoder) {
        guard rows.count > 0 else { return }
        precondition(rows.isComplete, "every column must have one value for each record")
        cellCount += rows.count * (rows.properties.count + 1) + rows.memberCount
        largestBlockCells = max(largestBlockCells, rows.cellCountWithoutNulls)
        rows.write(to: &blocks, tables: &tables)
        blockCount += 1
    }

    /// Appends a block of any kind.
    package mutating func append(_ block: ChangeBlock) {
        let before = cellCount
        switch block {
        case .insert(let rows): return append(rows, operation: Operation.insert)
        case .update(let rows): return append(rows, operation: Operation.update)
        case .add(let rows): return append(rows, operation: Operation.add)
        case .write(let siblings): append(siblings)
        case .yieldingDelete(let deletes): append(deletes)
        case .delete(let records): append(records)
        case .link(let links): append(links, operation: Operation.link)
        case .unlink(let links): append(links, operation: Operation.unlink)
        case .move(let links): append(links, operation: Operation.move)
        case .unknown(let operation, let bytes):
            let start = begin(operation)
            blocks.append(contentsOf: ByteWriter(bytes))
            blocks.endBlock(start)
        }
        largestBlockCells = max(largestBlockCells, cellCount - before)
    }

    package func finish() -> [UInt8] { finished().bytes }

    /// Returns the encoded payload without copying its large values.
    package func finished() -> ByteWriter {
        var payload = ByteWriter(reservingCapacity: blocks.storage.count + 256)
        payload.append(varint: ChangePayload.version)
        tables.write(to: &payload)
        payload.append(contentsOf: blocks)
        return payload
    }

    private mutating func begin(_ operation: UInt64) -> ByteWriter.BlockStart {
        blockCount += 1
        blocks.append(varint: operation)
        return blocks.beginBlock()
    }

    private mutating func append(_ block: RowBlock, operation: UInt64) {
        var rows = RowBlockEncoder(
            operation: operation, entity: block.entity, properties: block.properties,
            capacity: block.records.count)
        for record in block.records { rows.append(record: record) }
        for (index, column) in block.columns.enumerated() {
            for value in column { rows.append(value, toColumn: index) }
        }
        append(rows)
    }

    private mutating func append(_ block: RecordBlock) {
        let start = begin(Operation.delete)
        blocks.append(varint: tables.index(of: block.entity))
        append(records: block.records)
        blocks.endBlock(start)
    }

    private mutating func append(_ block: YieldingDeleteBlock) {
        let start = begin(Operation.yieldingDelete)
        blocks.append(varint: tables.index(of: block.entity))
        append(records: block.deletes.map(\.record))
        for delete in block.deletes { append(tags: delete.stampsSeen) }
        blocks.endBlock(start)
    }

    private mutating func append(_ block: SiblingBlock) {
        let start = begin(Operation.write)
        blocks.append(varint: tables.index(of: block.entity))
        blocks.append(varint: tables.index(of: block.property))
        append(records: block.writes.map(\.record))
        var column = ColumnEncoder(capacity: block.writes.count)
        for write in block.writes { column.append(write.value) }
        column.write(to: &blocks, tables: &tables)
        cellCount += block.writes.count + column.memberCount
        for write in block.writes { append(tags: write.observedTags) }
        blocks.endBlock(start)
    }

    private mutating func append(records list: [RecordID]) {
        var records = RecordListEncoder()
        for record in list { records.append(record) }
        records.write(to: &blocks, tables: &tables, inserting: false)
        cellCount += list.count
    }

    private mutating func append(_ block: LinkBlock, operation: UInt64) {
        let start = begin(operation)
        blocks.append(varint: tables.index(of: block.entity))
        blocks.append(varint: tables.index(of: block.property))
        let flags = LinkPosition.flags(of: block.links.map(\.place))
        blocks.append(byte: flags)
        for side in [\LinkBlock.Link.left, \LinkBlock.Link.right] {
            append(records: block.links.map { $0[keyPath: side] })
        }
        for side in LinkPosition.sides(flags) {
            cellCount += block.links.count
            for link in block.links {
                blocks.append(block: link.place[keyPath: side]?.bytes ?? [])
            }
        }
        if operation != Operation.link {
            for link in block.links { append(tags: link.observedTags) }
        }
        blocks.endBlock(start)
    }

    private mutating func append(tags: [Stamp]) {
        blocks.append(count: tags.count)
        cellCount += tags.count
        for tag in tags {
            blocks.append(fixed64: tag.timestamp.rawValue)
            blocks.append(varint: tables.index(of: tag.replica))
        }
    }
}
