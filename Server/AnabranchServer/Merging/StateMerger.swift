import AnabranchReplication

/// Merges one change set into a zone's state, by names and stamps and without a model.
///
/// Blocks are applied in their order. The rules themselves are `Register` and `LinkTags`; here
/// rows are only fetched and kept (invariants 4 and 5).
struct StateMerger {
    let writer: any ZoneWriting
    let stamp: Stamp
    let disabled: Set<Mechanism>
    let author: Int64

    /// Rows that are fetched and written together.
    static let batch = 1000

    init(
        _ changeSet: ChangeSet, into writer: any ZoneWriting, disabled: Set<Mechanism>
    ) throws {
        self.writer = writer
        self.disabled = disabled
        stamp = changeSet.stamp
        author = try writer.ordinal(of: changeSet.dot.replica)
    }

    /// - Throws: ``ZoneStorageError`` `recordHeld` for the insert of a record that is held; the
    ///   caller undoes what was done of the set.
    func merge(_ block: ChangeBlock) throws {
        switch block {
        case .insert(let rows): try insert(rows)
        case .update(let rows): try update(rows)
        case .delete(let records): try delete(records)
        case .link(let links): try link(links)
        case .unlink(let links): try unlink(links)
        case .unknown: break
        }
    }

    func key(of record: RecordID) throws -> RecordKey {
        RecordKey(ordinal: try writer.ordinal(of: record.replica), number: record.number)
    }

    private func columns(of rows: RowBlock) throws -> [EncodedColumn] {
        try zip(rows.properties, rows.columns)
            .map { property, values in
                try EncodedColumn(
                    property: try writer.number(ofProperty: property), values: values,
                    writer: writer)
            }
            .sorted { $0.property < $1.property }
    }

    private func insert(_ rows: RowBlock) throws {
        let entity = try writer.number(ofEntity: rows.entity)
        let columns = try columns(of: rows)
        for start in stride(from: 0, to: rows.records.count, by: Self.batch) {
            let places = start..<min(start + Self.batch, rows.records.count)
            try writer.insert(
                places.map { place in
                    StateRow(
                        key: RecordKey(ordinal: author, number: rows.records[place].number),
                        entity: entity, timestamp: stamp.timestamp.rawValue, author: author,
                        cells: CellList.encoded(row: place, of: columns))
                })
        }
    }

    private func update(_ rows: RowBlock) throws {
        let entity = try writer.number(ofEntity: rows.entity)
        let columns = try columns(of: rows)
        for start in stride(from: 0, to: rows.records.count, by: Self.batch) {
            let places = start..<min(start + Self.batch, rows.records.count)
            try update(rows, at: places, of: entity, with: columns)
        }
    }

    private func update(
        _ rows: RowBlock, at places: Range<Int>, of entity: Int64, with columns: [EncodedColumn]
    ) throws {
        let keys = try places.map { try key(of: rows.records[$0]) }
        var held = try writer.rows(for: keys)
        var changed: Set<RecordKey> = []
        for (key, place) in zip(keys, places) {
            guard let row = try held[key] ?? resurrected(key, entity), row.entity == entity
            else { continue }
            guard let merged = try merged(row, with: columns, at: place) else { continue }
            held[key] = merged
            changed.insert(key)
        }
        try writer.replaceCells(of: changed.compactMap { held[$0] })
    }

    /// - Returns: `nil` where the row keeps all that it has.
    private func merged(
        _ row: StateRow, with columns: [EncodedColumn], at place: Int
    ) throws -> StateRow? {
        var list = try CellList(
            decoding: row.cells, timestamp: row.timestamp, author: row.author)
        var isChanged = false
        for column in columns {
            let held = try list[column.property].map { cell in
                Stamp(
                    timestamp: HybridTimestamp(rawValue: cell.timestamp),
                    replica: try writer.replica(at: cell.author))
            }
            guard Register.outcome(ofWriting: stamp, over: held) == .takes else { continue }
            list.put(
                CellList.Cell(
                    property: column.property, timestamp: stamp.timestamp.rawValue,
                    author: author, value: column[place]))
            isChanged = true
        }
        guard isChanged else { return nil }
        var merged = row
        merged.cells = list.encoded(timestamp: row.timestamp, author: row.author)
        return merged
    }

    /// What an update of a record that is not held makes when a simulation switches the rule off.
    private func resurrected(_ key: RecordKey, _ entity: Int64) throws -> StateRow? {
        guard disabled.contains(.recordsNotHeld) else { return nil }
        let row = StateRow(
            key: key, entity: entity, timestamp: stamp.timestamp.rawValue, author: author,
            cells: [])
        try writer.insert([row])
        return row
    }

    private func delete(_ records: RecordBlock) throws {
        let entity = try writer.number(ofEntity: records.entity)
        for start in stride(from: 0, to: records.records.count, by: Self.batch) {
            let places = start..<min(start + Self.batch, records.records.count)
            let keys = try places.map { try key(of: records.records[$0]) }
            let held = try writer.entities(of: keys)
            try writer.remove(keys.filter { held[$0] == entity })
        }
    }
}
