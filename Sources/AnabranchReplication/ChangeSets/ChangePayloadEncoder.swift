/// Encodes a payload block by block.
public struct ChangePayloadEncoder: Sendable {
    private var tables: PayloadTables
    private var blocks = ByteWriter()
    private var blockCount = 0

    /// Indicates whether the payload so far is within ``Limits``. A reader refuses a payload that
    /// is not.
    public var isWithinLimits: Bool {
        cellCount <= Limits.maximumCells && blockCount <= Limits.maximumBlocks
            && largestBlockCells <= Limits.maximumBlockCells
            && tables.isWithinLimits && blocks.count <= Limits.largestPart
    }

    /// The number of bytes of the appended blocks.
    public var byteCount: Int { blocks.count }
    /// The number of values, record identities and tags in the appended blocks.
    public private(set) var cellCount = 0
    /// The greatest number of values of one block, without the nulls of rows.
    private var largestBlockCells = 0
    /// Indicates whether no block was appended.
    public var isEmpty: Bool { blockCount == 0 }

    /// Creates an encoder for a change set of this replica.
    public init(author: ReplicaID) { tables = PayloadTables(author: author) }

    /// Begins a block of inserted or updated rows. Fill it value by value, then pass it to
    /// `append(_:)`.
    public func rows(
        inserting: Bool, entity: WireName, properties: [WireProperty], capacity: Int = 0
    ) -> RowBlockEncoder {
        RowBlockEncoder(
            operation: inserting ? Operation.insert : Operation.update, entity: entity,
            properties: properties, capacity: capacity)
    }

    /// Begins a block of counter deltas. Fill it value by value, then append it.
    public func additions(
        entity: WireName, properties: [WireProperty], capacity: Int = 0
    ) -> RowBlockEncoder {
        RowBlockEncoder(
            operation: Operation.add, entity: entity, properties: properties, capacity: capacity)
    }

    /// Appends a block of rows that ``rows(inserting:entity:properties:capacity:)`` or
    /// ``additions(entity:properties:capacity:)`` began. An empty block is left out.
    public mutating func append(_ rows: RowBlockEncoder) {
        guard rows.count > 0 else { return }
        precondition(rows.isComplete, "every column must have one value for each record")
        cellCount += rows.count * (rows.properties.count + 1) + rows.memberCount
        largestBlockCells = max(largestBlockCells, rows.cellCountWithoutNulls)
        append(operation: rows.operation, body: rows.body(tables: &tables))
    }

    /// Appends a block of any kind.
    public mutating func append(_ block: ChangeBlock) {
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
            append(operation: operation, body: ByteWriter(bytes))
        }
        largestBlockCells = max(largestBlockCells, cellCount - before)
    }

    /// Returns the encoded payload.
    public func finish() -> [UInt8] { finished().bytes }

    /// Returns the encoded payload without copying its large values.
    public func finished() -> ByteWriter {
        var payload = ByteWriter(reservingCapacity: blocks.storage.count + 256)
        payload.append(varint: ChangePayload.version)
        tables.write(to: &payload)
        payload.append(contentsOf: blocks)
        return payload
    }

    private mutating func append(operation: UInt64, body: ByteWriter) {
        blocks.append(varint: operation)
        blocks.append(block: body)
        blockCount += 1
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
        var body = ByteWriter()
        body.append(varint: tables.index(of: block.entity))
        append(records: block.records, to: &body)
        append(operation: Operation.delete, body: body)
    }

    private mutating func append(_ block: YieldingDeleteBlock) {
        var body = ByteWriter()
        body.append(varint: tables.index(of: block.entity))
        append(records: block.deletes.map(\.record), to: &body)
        for delete in block.deletes { append(tags: delete.stampsSeen, to: &body) }
        append(operation: Operation.yieldingDelete, body: body)
    }

    private mutating func append(_ block: SiblingBlock) {
        var body = ByteWriter()
        body.append(varint: tables.index(of: block.entity))
        body.append(varint: tables.index(of: block.property))
        append(records: block.writes.map(\.record), to: &body)
        var column = ColumnEncoder(capacity: block.writes.count)
        for write in block.writes { column.append(write.value) }
        column.write(to: &body, tables: &tables)
        cellCount += block.writes.count + column.memberCount
        for write in block.writes { append(tags: write.observedTags, to: &body) }
        append(operation: Operation.write, body: body)
    }

    private mutating func append(records list: [RecordID], to body: inout ByteWriter) {
        var records = RecordListEncoder()
        for record in list { records.append(record) }
        records.write(to: &body, tables: &tables, inserting: false)
        cellCount += list.count
    }

    private mutating func append(_ block: LinkBlock, operation: UInt64) {
        var body = ByteWriter()
        body.append(varint: tables.index(of: block.entity))
        body.append(varint: tables.index(of: block.property))
        let flags = LinkPosition.flags(of: block.links.map(\.place))
        body.append(byte: flags)
        for side in [\LinkBlock.Link.left, \LinkBlock.Link.right] {
            append(records: block.links.map { $0[keyPath: side] }, to: &body)
        }
        for side in LinkPosition.sides(flags) {
            cellCount += block.links.count
            for link in block.links {
                body.append(block: link.place[keyPath: side]?.bytes ?? [])
            }
        }
        if operation != Operation.link {
            for link in block.links { append(tags: link.observedTags, to: &body) }
        }
        append(operation: operation, body: body)
    }

    private mutating func append(tags: [Stamp], to body: inout ByteWriter) {
        body.append(count: tags.count)
        cellCount += tags.count
        for tag in tags {
            body.append(fixed64: tag.timestamp.rawValue)
            body.append(varint: tables.index(of: tag.replica))
        }
    }
}
