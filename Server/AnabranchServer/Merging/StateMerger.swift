import AnabranchReplication

/// The number of values of a change set that lost against a concurrent write.
final class LossCount {
    var count = 0
}

/// Merges one change set into a zone's state by names and stamps, without a model.
///
/// Blocks are applied in their order. The rules are `Register`, `Counter`, `Siblings`, `LinkTags`
/// and `DeleteMark`; this type only reads and writes rows (invariants 4 and 5). Changes to a dead
/// record merge into it as into any other record.
struct StateMerger {
    let writer: any ZoneWriting
    let stamp: Stamp
    let disabled: Set<Mechanism>
    /// The greatest number of bytes of one record's values.
    let recordBytes: Int
    let author: Int64
    /// The change of the state's checksum by this change set.
    let tally: ChecksumDelta
    let losses = LossCount()

    /// The number of rows that are read and written together.
    static let batch = 1000

    init(
        _ changeSet: ChangeSet, into writer: any ZoneWriting, disabled: Set<Mechanism>,
        recordBytes: Int = Limits.largestPart
    ) throws {
        self.writer = writer
        self.recordBytes = recordBytes
        self.disabled = disabled
        stamp = changeSet.stamp
        author = try writer.ordinal(of: changeSet.dot.replica)
        tally = ChecksumDelta(writer)
    }

    /// Merges a whole change set and updates the checksum.
    ///
    /// - Parameters:
    ///   - parts: The source of its parts, if it has parts; one is in memory at a time.
    ///   - reserve: Called before values of a block are allocated; false if there is no memory.
    ///   - check: Checks each block before it is merged; an error ends the merge.
    ///
    /// - Returns: The number of written values that lost against a concurrent write.
    static func merge(
        _ changeSet: ChangeSet, _ parts: some PartReading, into writer: any ZoneWriting,
        disabled: Set<Mechanism>, recordBytes: Int = Limits.largestPart,
        reserving reserve: (@Sendable (Int) -> Bool)? = nil,
        checking check: (ChangeBlock) throws -> Void = { _ in }
    ) throws -> Int {
        let merger = try StateMerger(
            changeSet, into: writer, disabled: disabled, recordBytes: recordBytes)
        try changeSet.forEachBlock(parts, reserving: reserve) { block in
            try check(block)
            try merger.merge(block)
        }
        try merger.tally.keep()
        return merger.losses.count
    }

    /// Merges one block.
    ///
    /// - Throws: ``StorageError`` `recordHeld` for the insert of a record that the zone holds.
    ///   The caller rolls back the part of the change set that was merged.
    func merge(_ block: ChangeBlock) throws {
        switch block {
        case .insert(let rows): try insert(rows)
        case .update(let rows): try update(rows)
        case .add(let rows): try add(rows)
        case .write(let siblings): try write(siblings)
        case .delete(let records): try delete(records)
        case .yieldingDelete(let deletes): try delete(deletes)
        case .link(let links): try link(links)
        case .unlink(let links): try unlink(links)
        case .move(let links): try move(links)
        case .unknown: break
        }
    }

    func key(of record: RecordID) throws -> RecordKey {
        RecordKey(ordinal: try writer.ordinal(of: record.replica), number: record.number)
    }

    func columns(of rows: RowBlock) throws -> [EncodedColumn] {
        try zip(rows.properties, rows.columns)
            .map { try column(of: $0, $1) }
            .sorted { $0.number < $1.number }
    }

    func column(of property: WireProperty, _ values: [Value]) throws -> EncodedColumn {
        try EncodedColumn(
            property: property, number: writer.number(ofProperty: property), values: values,
            ordinal: writer.ordinal(of:))
    }

    private func insert(_ rows: RowBlock) throws {
        let entity = try writer.number(ofEntity: rows.entity)
        let columns = try columns(of: rows)
        let canonical = InsertedRowBytes(
            entity: rows.entity, properties: rows.properties, stamp: stamp)
        for start in stride(from: 0, to: rows.records.count, by: Self.batch) {
            let places = start..<min(start + Self.batch, rows.records.count)
            try writer.insert(
                try places.map { place in
                    try checked(
                        StateRow(
                            key: RecordKey(ordinal: author, number: rows.records[place].number),
                            entity: entity, timestamp: stamp.timestamp.rawValue, author: author,
                            cells: CellList.encoded(row: place, of: columns)))
                })
            for place in places {
                tally.add(
                    StateChecksum(
                        ofRow: canonical.bytes(of: rows.records[place]) {
                            rows.columns[$0][place]
                        }))
            }
        }
    }

    private func delete(_ records: RecordBlock) throws {
        let entity = try writer.number(ofEntity: records.entity)
        for start in stride(from: 0, to: records.records.count, by: Self.batch) {
            let places = start..<min(start + Self.batch, records.records.count)
            let keys = try places.map { try key(of: records.records[$0]) }
            let gone = try writer.rows(for: keys).filter { $0.value.entity == entity }
            for row in gone.values { try tally.remove(row, of: records.entity) }
            for (link, tags) in try writer.remove(Array(gone.keys)) {
                try tally.remove(link, tags)
            }
        }
    }

    /// Checks the size of a record: concurrent saves together may exceed the limit.
    private func checked(_ row: StateRow) throws -> StateRow {
        guard row.cells.count <= recordBytes else {
            throw StorageError(
                .recordTooLarge,
                "Can't accept a change of record \(row.key.number) because its values would have "
                    + "\(row.cells.count) bytes together, and the limit is \(recordBytes).")
        }
        return row
    }

    // MARK: Rows that are held

    /// Changes the records that the zone holds under an entity's name.
    ///
    /// - Parameter body: Receives a row and the record's index in `records`. It returns the new
    ///   row, or `nil` if the row stays as it is.
    func change(
        _ records: [RecordID], of name: WireName, _ body: (StateRow, Int) throws -> StateRow?
    ) throws {
        let entity = try writer.number(ofEntity: name)
        for start in stride(from: 0, to: records.count, by: Self.batch) {
            let places = start..<min(start + Self.batch, records.count)
            let keys = try places.map { try key(of: records[$0]) }
            var held = try writer.rows(for: keys)
            var changed: Set<RecordKey> = []
            for (key, place) in zip(keys, places) {
                guard let row = try held[key] ?? resurrected(key, entity), row.entity == entity,
                    let merged = try body(row, place)
                else { continue }
                if changed.insert(key).inserted, let before = held[key] {
                    try tally.remove(before, of: name)
                }
                held[key] = try checked(merged)
            }
            try writer.replace(changed.compactMap { held[$0] })
            for row in changed.compactMap({ held[$0] }) { try tally.add(row, of: name) }
        }
    }

    /// Inserts an empty row for a record that an operation names and the zone does not hold.
    ///
    /// It does so only if a simulation has disabled the mechanism `recordsNotHeld`.
    ///
    /// - Returns: The row; `nil` if the mechanism is enabled.
    private func resurrected(_ key: RecordKey, _ entity: Int64) throws -> StateRow? {
        guard disabled.contains(.recordsNotHeld) else { return nil }
        let row = StateRow(
            key: key, entity: entity, timestamp: stamp.timestamp.rawValue, author: author,
            cells: [])
        try writer.insert([row])
        return row
    }
}
