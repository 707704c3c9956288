/// Encodes one chunk of a snapshot record by record.
package struct SnapshotChunkEncoder: Sendable {
    /// The entity and the properties that the records of one block share.
    private struct Shape: Hashable {
        let entity: WireName
        let properties: [WireProperty]
    }

    private var heads = ByteWriter()
    private var headCount = 0
    private var shapes: [Shape: Int] = [:]
    private var rows: [RowsEncoder] = []
    private var records: [ByteWriter] = []
    private var links: [(property: WireProperty, links: LinksEncoder)] = []
    /// The approximate number of bytes of the chunk, by which a writer knows when it is full.
    package private(set) var byteCount = 0
    /// The number of values, identities and tags, which ``Limits/maximumCells`` limits.
    package private(set) var cellCount = 0

    package init() {}

    package var isEmpty: Bool { byteCount == 0 }

    /// The number of bytes that the encoder refers to instead of copying them.
    private var largeByteCount: Int {
        rows.reduce(0) { $0 + $1.largeByteCount } + records.reduce(0) { $0 + $1.largeCount }
    }

    /// Appends the head of a replica: the dot and the origin of its last change set.
    package mutating func append(_ head: SnapshotChunk.Head) {
        heads.append(dot: head.dot)
        heads.append(digest: head.origin)
        headCount += 1
        byteCount += 56
    }

    package mutating func append(_ record: CanonicalRecord) {
        for link in record.links {
            append(.init(left: record.id, right: link.right, tags: link.tags), of: link.property)
        }
        let properties = record.cells.map(\.property)
        if record.deleteMark == nil, Set(properties).count == properties.count {
            appendRow(record, properties)
        } else {
            var alone = record
            alone.links = []
            let bytes = alone.written()
            records.append(bytes)
            cellCount += record.cells.count + 1
            byteCount += bytes.count + 4
        }
    }

    private mutating func appendRow(_ record: CanonicalRecord, _ properties: [WireProperty]) {
        let shape = Shape(entity: record.entity, properties: properties)
        let index: Int
        if let known = shapes[shape] {
            index = known
        } else {
            index = rows.count
            shapes[shape] = index
            rows.append(RowsEncoder(entity: shape.entity, properties: properties))
        }
        let before = rows[index].byteCount
        rows[index].append(record)
        byteCount += rows[index].byteCount - before
        cellCount += record.cells.count + 1
    }

    package mutating func append(_ link: SnapshotChunk.Link, of property: WireProperty) {
        if links.last?.property != property {
            links.append((property, LinksEncoder()))
        }
        links[links.count - 1].links.append(link)
        byteCount += 6 + link.tags.all.count * (property.rule == .list ? 40 : 9)
        cellCount += 2 + link.tags.all.count
    }

    package consuming func finish() -> [UInt8] { finished().bytes }

    /// Returns the encoded chunk without copying its large values.
    package consuming func finished() -> ByteWriter {
        var tables = PayloadTables(author: SnapshotChunk.noReplica)
        var blocks = ByteWriter(reservingCapacity: byteCount - largeByteCount)
        func append(_ block: UInt64, _ body: ByteWriter) {
            blocks.append(varint: block)
            blocks.append(block: body)
        }
        if headCount > 0 {
            var body = ByteWriter(reservingCapacity: heads.count + 8)
            body.append(count: headCount)
            body.append(raw: heads.bytes)
            append(SnapshotBlock.heads, body)
        }
        for rows in rows { append(SnapshotBlock.rows, rows.body(&tables)) }
        for record in records {
            append(SnapshotBlock.record, record)
        }
        for (property, links) in links {
            append(SnapshotBlock.links, links.body(of: property, &tables))
        }
        var chunk = ByteWriter(reservingCapacity: byteCount - largeByteCount + 256)
        chunk.append(varint: SnapshotChunk.version)
        tables.write(to: &chunk)
        chunk.append(contentsOf: blocks)
        return chunk
    }
}

extension SnapshotChunk {
    /// The author of a chunk's tables: a replica ID of zeros, because a chunk has no author.
    static let noReplica = ReplicaID(high: 0, low: 0)
}

/// Encodes the records of one entity and one set of properties in columns, with their stamps.
private struct RowsEncoder: Sendable {
    private let entity: WireName
    private let properties: [WireProperty]
    private var records = RecordListEncoder()
    private var columns: [ColumnEncoder]
    private var stamps: [[SnapshotChunk.StampRun]]

    init(entity: WireName, properties: [WireProperty]) {
        self.entity = entity
        self.properties = properties
        columns = properties.map { _ in ColumnEncoder(capacity: 64) }
        stamps = properties.map { _ in [] }
    }

    var byteCount: Int {
        zip(columns, stamps).reduce(records.count * 2) { $0 + $1.0.byteCount + $1.1.count * 10 }
    }

    var largeByteCount: Int { columns.reduce(0) { $0 + $1.values.largeCount } }

    mutating func append(_ record: CanonicalRecord) {
        records.append(record.id)
        for (index, cell) in record.cells.enumerated() {
            columns[index].append(cell.value)
            if let last = stamps[index].indices.last, stamps[index][last].stamp == cell.stamp {
                stamps[index][last].count += 1
            } else {
                stamps[index].append(.init(stamp: cell.stamp, count: 1))
            }
        }
    }

    func body(_ tables: inout PayloadTables) -> ByteWriter {
        var body = ByteWriter(reservingCapacity: byteCount - largeByteCount + 64)
        body.append(varint: tables.index(of: entity))
        records.write(to: &body, tables: &tables, inserting: false)
        body.append(count: properties.count)
        for property in properties { body.append(varint: tables.index(of: property)) }
        for column in columns { column.write(to: &body, tables: &tables) }
        for runs in stamps {
            body.append(count: runs.count)
            for run in runs {
                body.append(stamp: run.stamp, tables: &tables)
                body.append(count: run.count)
            }
        }
        return body
    }
}

private struct LinksEncoder: Sendable {
    private var lefts = RecordListEncoder()
    private var rights = RecordListEncoder()
    private var tags: [LinkTags] = []

    mutating func append(_ link: SnapshotChunk.Link) {
        lefts.append(link.left)
        rights.append(link.right)
        tags.append(link.tags)
    }

    func body(of property: WireProperty, _ tables: inout PayloadTables) -> ByteWriter {
        var body = ByteWriter(reservingCapacity: tags.count * 16)
        body.append(varint: tables.index(of: property))
        lefts.write(to: &body, tables: &tables, inserting: false)
        rights.write(to: &body, tables: &tables, inserting: false)
        for tags in tags {
            body.append(count: tags.all.count)
            for tag in tags.all {
                body.append(stamp: tag.stamp, tables: &tables)
                if property.rule == .list { body.append(place: tag.place) }
            }
        }
        return body
    }
}

extension ByteWriter {
    /// Appends eight bytes of time and the replica's number in the tables.
    fileprivate mutating func append(stamp: Stamp, tables: inout PayloadTables) {
        append(fixed64: stamp.timestamp.rawValue)
        append(varint: tables.index(of: stamp.replica))
    }
}
