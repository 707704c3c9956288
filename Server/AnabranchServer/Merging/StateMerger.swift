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
    let writer: ZoneDraft
    let stamp: Stamp
    /// The greatest number of bytes of one record's values.
    let recordBytes: Int
    let author: Int64
    /// The change of the state's checksum by this change set.
    let tally: ChecksumDelta
    let losses = LossCount()
    /// The rows that the change set has changed and that are not written yet.
    let changed = ChangedRows()
    /// The links that the change set names and that are not written yet.
    let changedLinks = ChangedLinks()
    /// Called before each group of rows; an error ends the merge.
    let proceed: () throws -> Void
    /// Called with the bytes of the rows that are in memory, before a large one is read.
    let reserveRows: (Int) throws -> Void

    /// The greatest number of values of one record, each with its property.
    ///
    /// A table of SQLite has at most 2,000 columns, so stores need fewer, also with the properties
    /// of former models and with the concurrent values under `keepBoth`.
    static let greatestValueCount = 10_000

    /// The greatest number of tags of one link. Each is of a save that had not seen the others.
    static let greatestTagCount = 10_000

    /// The greatest number of values that the deletes of one record have seen together.
    static let greatestSeenCount = 100_000

    /// The number of rows or links that are read and written together, and of tags.
    static let batch = 1000
    static let tagsTogether = 100_000

    init(
        _ changeSet: ChangeSet, into writer: ZoneDraft, recordBytes: Int = Limits.largestPart,
        reservingRows reserveRows: @escaping (Int) throws -> Void = { _ in },
        proceed: @escaping () throws -> Void = {}
    ) throws {
        self.writer = writer
        self.proceed = proceed
        self.reserveRows = reserveRows
        self.recordBytes = recordBytes
        stamp = changeSet.stamp
        author = try writer.ordinal(of: changeSet.dot.replica)
        tally = ChecksumDelta(writer)
    }

    /// Merges a whole change set and updates the checksum.
    ///
    /// - Parameters:
    ///   - parts: The source of its parts, if it has parts; one is in memory at a time.
    ///   - reserve: Called before values of a block are allocated; false if there is no memory.
    ///   - reserveRows: Called with the bytes of the rows that are in memory, unless they are few,
    ///     and before a large row is read; an error ends the merge.
    ///   - proceed: Called before each group of rows; an error ends the merge.
    ///   - check: Checks each block before it is merged; an error ends the merge.
    ///
    /// - Returns: The number of written values that lost against a concurrent write.
    static func merge(
        _ changeSet: ChangeSet, _ parts: some PartReading, into writer: ZoneDraft,
        recordBytes: Int = Limits.largestPart,
        reserving reserve: (@Sendable (Int) -> Bool)? = nil,
        reservingRows reserveRows: @escaping (Int) throws -> Void = { _ in },
        proceeding proceed: @escaping () throws -> Void = {},
        checking check: (ChangeBlock) throws -> Void = { _ in }
    ) throws -> Int {
        let merger = try StateMerger(
            changeSet, into: writer, recordBytes: recordBytes,
            reservingRows: reserveRows, proceed: proceed)
        try changeSet.forEachBlock(parts, reserving: reserve) { block in
            try check(block)
            try merger.merge(block)
        }
        try merger.writeChanged()
        try merger.writeChangedLinks()
        merger.tally.keep()
        return merger.losses.count
    }

    /// Merges one block.
    ///
    /// - Throws: ``StorageError`` `recordHeld` for the insert of a record that the zone holds.
    ///   The caller rolls back the part of the change set that was merged.
    func merge(_ block: ChangeBlock) throws {
        try proceed()
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

    func column(of property: WireProperty, _ values: ValueColumn) throws -> EncodedColumn {
        try EncodedColumn(
            property: property, number: writer.number(ofProperty: property), values: values,
            ordinal: writer.ordinal(of:))
    }

    private func insert(_ rows: RowBlock) throws {
        let entity = try writer.number(ofEntity: rows.entity)
        let columns = try columns(of: rows)
        let canonical = InsertedRowBytes(
            entity: rows.entity, properties: rows.properties, stamp: stamp)
        if let first = rows.records.first {
            try check(cellCount: columns.count, of: try key(of: first))
        }
        for start in stride(from: 0, to: rows.records.count, by: Self.batch) {
            try proceed()
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
        var rest = records.records[...]
        while !rest.isEmpty {
            try proceed()
            let (held, count) = try rows(for: rest.prefix(Self.batch).map(key(of:)))
            rest = rest.dropFirst(count)
            let gone = held.filter { $0.value.entity == entity }
            for row in gone.values {
                try tally.remove(row, of: records.entity)
                changed.forget(row.key)
                changedLinks.forget(linksOf: row.key)
            }
            try writer.remove(Array(gone.keys)) { try tally.remove($0, $1) }
        }
    }

    // MARK: Rows that are held

    /// Changes the records that the zone holds under an entity's name.
    ///
    /// The changes are written when there are many, and at the end of the change set.
    ///
    /// - Parameter body: Receives a row and the record's index in `records`. It returns true if it
    ///   changed the row.
    func change(
        _ records: [RecordID], of name: WireName, _ body: (inout ChangedRow, Int) throws -> Bool
    ) throws {
        let entity = try writer.number(ofEntity: name)
        var start = 0
        while start < records.count {
            try proceed()
            let keys = try records[start...].prefix(Self.batch).map(key(of:))
            // A large row stays only until another one is read.
            if changed.byteCount > heldBytes, !changed.contains(keys[0]) { try writeChanged() }
            let count = try hold(keys, entity)
            for (key, place) in zip(keys.prefix(count), start...) {
                try changed.change(key, of: entity, named: name) { try body(&$0, place) }
            }
            start += count
            // A single row stays, however large it is, because the next block may change it again.
            if changed.count >= Self.batch || changed.count > 1 && changed.byteCount > heldBytes {
                try writeChanged()
            }
        }
    }

    /// Reads the rows that are not in `changed` yet, unless they are too large together.
    ///
    /// - Returns: The number of the first keys with rows that are in `changed` now; at least one.
    private func hold(_ keys: [RecordKey], _ entity: Int64) throws -> Int {
        let (held, count) = try rows(for: keys, unless: changed.contains)
        for row in held.values { changed.add(try decoded(row, stored: row)) }
        if changed.byteCount > Self.freeBytes { try reserveRows(changed.byteCount) }
        if !Mechanism.recordsNotHeld.isOn {
            for key in keys.prefix(count) where !changed.contains(key) {
                changed.add(try decoded(try resurrected(key, entity), stored: nil))
            }
        }
        return count
    }

    /// Reads the rows of the first keys, as many as may be in memory together.
    ///
    /// - Parameter isKnown: True for a key with a row that is not read.
    ///
    /// - Returns: The rows, and the number of the keys; at least one.
    private func rows(
        for keys: [RecordKey], unless isKnown: (RecordKey) -> Bool = { _ in false }
    ) throws -> ([RecordKey: StateRow], Int) {
        try firstHeld(keys, unless: isKnown) { missing in
            try writer.rows(for: missing, byteLimit: heldBytes) {
                try reserveRows(changed.byteCount + $0)
            }
        }
    }

    /// Reads what the zone holds under the first of some keys.
    ///
    /// - Parameters:
    ///   - isKnown: True for a key that is not looked up.
    ///   - read: Looks up the first of the other keys, each once, and returns how many these are.
    ///
    /// - Returns: The values, and the number of the first keys that are known or were looked up; at
    ///   least one.
    func firstHeld<Key: Hashable, Value>(
        _ keys: [Key], unless isKnown: (Key) -> Bool,
        read: ([Key]) throws -> ([Key: Value], Int)
    ) throws -> ([Key: Value], Int) {
        var found: Set<Key> = []
        let missing = keys.filter { !isKnown($0) && found.insert($0).inserted }
        guard !missing.isEmpty else { return ([:], keys.count) }
        let (values, count) = try read(missing)
        let end = count < missing.count ? keys.firstIndex(of: missing[count]) : nil
        return (values, end ?? keys.count)
    }

    /// The number of bytes of rows that are in memory at the same time, if one row has no more.
    private var heldBytes: Int { min(recordBytes, Self.mostHeldBytes) }
    private static let mostHeldBytes = 8 << 20
    /// The bytes of rows that need no reservation.
    private static let freeBytes = 1 << 20

    private func decoded(_ row: StateRow, stored: StateRow?) throws -> ChangedRow {
        let cells = try CellList(of: row)
        let seen = try row.seen.map {
            try StoredTags.stamps(decoding: $0, replica: writer.replica(at:))
        }
        writer.countChanged(
            values: cells.count + (seen?.count ?? 0), byteCount: row.cells.count)
        return ChangedRow(stored: stored, row: row, cells: cells, seen: seen)
    }

    /// Writes the changed rows and their part of the checksum.
    func writeChanged() throws {
        var rows: [StateRow] = []
        for changed in changed.takeChanged() {
            guard let name = changed.entity else { continue }
            let row = try encoded(changed)
            if let before = changed.stored { try tally.remove(before, of: name) }
            try tally.add(row, of: name)
            rows.append(row)
        }
        if !rows.isEmpty { try writer.replace(rows) }
    }

    private func encoded(_ changed: ChangedRow) throws -> StateRow {
        var row = changed.row
        try check(cellCount: changed.cells.count, of: row.key)
        row.cells = changed.cells.encoded(timestamp: row.timestamp, author: row.author)
        if let seen = changed.seen {
            let mark = DeleteMark(seen: seen)
            try check(seenCount: mark.seen.count, of: row.key)
            row.seen = try StoredTags.encoded(mark.seen, ordinal: writer.ordinal(of:))
            row.isDead = try isDead(changed.cells, mark)
        }
        return try checked(row)
    }

    /// Inserts an empty row for a record that an operation names and the zone does not hold.
    ///
    /// It is called only if a simulation has switched `Mechanism.recordsNotHeld` off.
    private func resurrected(_ key: RecordKey, _ entity: Int64) throws -> StateRow {
        let row = StateRow(
            key: key, entity: entity, timestamp: stamp.timestamp.rawValue, author: author,
            cells: [])
        try writer.insert([row])
        return row
    }

    // MARK: Limits

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

    /// Checks the number of values of a record, to which every later change of it has to look.
    private func check(cellCount: Int, of key: RecordKey) throws {
        try check(cellCount, "values", limit: Self.greatestValueCount, of: key)
    }

    private func check(seenCount: Int, of key: RecordKey) throws {
        try check(
            seenCount, "values that deletes have seen", limit: Self.greatestSeenCount, of: key)
    }

    func check(tagCount: Int, of link: LinkKey) throws {
        try check(
            tagCount, "concurrent changes of one link", limit: Self.greatestTagCount, of: link.left)
    }

    private func check(
        _ count: Int, _ what: String, limit: Int, of key: RecordKey
    ) throws {
        guard count <= limit else {
            throw StorageError(
                .recordTooLarge,
                "Can't accept a change of record \(key.number) because it would have "
                    + "\(count) \(what), and the limit is \(limit).")
        }
    }
}
