extension ZoneDraft {
    /// Inserts rows.
    ///
    /// - Throws: ``StorageError`` `recordHeld` if the zone holds one of the records. Then nothing
    ///   of the present part of the transaction may be kept.
    package func insert(_ rows: [StateRow]) throws {
        try forEachGroup(of: rows) { group in
            let isKept = group.count < Self.manyRows || !areNew(group)
            let unread = isKept ? try keep(group) : group.map(\.key)
            if !unread.isEmpty, let held = try stored.records(for: unread, valueBytes: 0).first {
                throw Self.isHeld(held.key)
            }
            for row in group { self.row.count(bytes: row.countedBytes, records: 1) }
            if !isKept { try pass(group) }
        }
    }

    /// The number of rows that are written at once, because few of so many are asked for again.
    private static let manyRows = 100

    /// True if the rows have different keys in ascending order, of which none is known.
    private func areNew(_ rows: ArraySlice<StateRow>) -> Bool {
        var last = Int64.min
        return rows.allSatisfy { row in
            defer { last = row.key.rawValue }
            return last < row.key.rawValue && records[row.key] == nil
        }
    }

    private func pass(_ rows: ArraySlice<StateRow>) throws {
        try send()
        var changes = ZoneChanges()
        changes.inserted = [.records(rows.map { RecordRow(row: $0, dead: 0) })]
        try stored.write(changes)
    }

    /// Inserts rows of which the storage holds none.
    ///
    /// - Returns: The keys of which it was not known.
    private func keep(_ rows: ArraySlice<StateRow>) throws -> [RecordKey] {
        var unread: [RecordKey] = []
        for row in rows {
            switch records.insert(HeldRecord(row, dead: 0), at: row.key) {
            case .unknown: if row.key.ordinal < unwritten.replica { unread.append(row.key) }
            case .absent: break
            case .held: throw Self.isHeld(row.key)
            }
        }
        return unread
    }

    private static func isHeld(_ key: RecordKey) -> StorageError {
        StorageError(
            .recordHeld, "Can't insert record \(key.number) because the zone holds it already.")
    }

    /// Replaces the cells and the delete mark of held rows. The rest of a row must be as it is
    /// held.
    package func replace(_ rows: [StateRow]) throws {
        try forEachGroup(of: rows) { group in
            try load(group.map(\.key))
            for row in group {
                guard let before = records[row.key]?.row else { continue }
                uncount(before)
                let position = before.dead == 0 ? self.row.position : before.dead
                let dead = row.isDead ? position : 0
                self.row.count(bytes: row.countedBytes, records: dead == 0 ? 1 : 0)
                records.put(HeldRecord(row, dead: dead), at: row.key)
            }
        }
    }

    /// Calls `body` with rows that have few bytes together, or with one row, at a time.
    private func forEachGroup(
        of rows: [StateRow], _ body: (ArraySlice<StateRow>) throws -> Void
    ) throws {
        var rest = rows[...]
        while !rest.isEmpty {
            try makeRoom()
            var byteCount = 0
            let group = rest.prefix { row in
                let isFirst = byteCount == 0
                byteCount += Int(row.countedBytes)
                return isFirst || byteCount <= DraftMemory.limit
            }
            try body(group)
            rest = rest.dropFirst(group.count)
        }
    }

    private func uncount(_ record: HeldRecord) {
        row.count(bytes: -record.byteCount, records: record.dead == 0 ? -1 : 0)
    }

    /// Reads the records of keys that are not known yet.
    ///
    /// - Parameter valueBytes: The bytes up to which values are read too.
    private func load(_ keys: some Sequence<RecordKey>, valueBytes: Int = 0) throws {
        let unknown = keys.filter { $0.ordinal < unwritten.replica && records[$0] == nil }
        guard !unknown.isEmpty else { return }
        let found = try stored.records(for: unknown, valueBytes: valueBytes)
        for key in unknown { records.take(found[key], of: key) }
    }

    /// The held rows of the first keys, including those of dead records.
    ///
    /// - Parameters:
    ///   - keys: The keys of the rows, each once.
    ///   - byteLimit: The greatest number of bytes of the rows' values together, so that few keys
    ///     can't take much memory. A single row may have more.
    ///   - reserve: Called with the bytes of such a row before its values are read. An error that
    ///     it throws ends the reading.
    ///
    /// - Returns: The rows, and the number of the keys that were looked up; at least one.
    package func rows(
        for keys: [RecordKey], byteLimit: Int, reserving reserve: (Int) throws -> Void
    ) throws -> (rows: [RecordKey: StateRow], keyCount: Int) {
        try makeRoom()
        try load(keys, valueBytes: min(byteLimit, ZoneNeeds.bytesTogether))
        var rows: [RecordKey: StateRow] = [:]
        rows.reserveCapacity(keys.count)
        var missing: [RecordKey] = []
        var byteCount = 0
        let first = keys.prefix { key in
            guard let record = records[key]?.row else { return true }
            let size = Int(record.byteCount)
            guard byteCount == 0 || byteCount + size <= byteLimit else { return false }
            byteCount += size
            if let row = record.values { rows[key] = row } else { missing.append(key) }
            return true
        }
        if byteCount > byteLimit { try reserve(byteCount) }
        if !missing.isEmpty {
            for row in try stored.values(of: missing) { rows[row.key] = row }
        }
        return (rows, first.count)
    }

    /// The number of each held record's entity, dead or alive.
    package func entities(of keys: [RecordKey]) throws -> [RecordKey: Int64] {
        try makeRoom()
        let keys = Set(keys)
        try load(keys)
        var entities: [RecordKey: Int64] = [:]
        for key in keys { entities[key] = records[key]?.row?.entity }
        return entities
    }

    /// Removes records, and all links from or to them.
    ///
    /// - Parameter body: Receives each removed link once, with its encoded tags.
    package func remove(
        _ keys: [RecordKey], _ body: (LinkKey, [UInt8]) throws -> Void
    ) throws {
        try makeRoom()
        try removeLinks(at: keys, body)
        try load(keys)
        for key in keys {
            guard let record = records[key]?.row else { continue }
            uncount(record)
            records.put(nil, at: key)
        }
    }

    // MARK: Links

    private func removeLinks(
        at keys: [RecordKey], _ body: (LinkKey, [UInt8]) throws -> Void
    ) throws {
        if links.hasChanges { try send() }
        try stored.forEachLinks(at: keys) { page in
            for (link, tags) in page {
                links.take(tags, of: link)
                // A link between two of the records may be given twice.
                guard links[link]?.row != nil else { continue }
                row.count(bytes: -Int64(tags.count))
                links.put(nil, at: link)
                try body(link, tags)
            }
            try makeRoom()
        }
    }

    /// The encoded tags of the first links. The result has no entry for a link that the zone does
    /// not hold.
    ///
    /// - Parameters:
    ///   - links: The links, each once.
    ///   - byteLimit: The greatest number of bytes of the tags together, unless a single link has
    ///     more.
    ///
    /// - Returns: The tags, and the number of the links that were looked up; at least one.
    package func tags(
        of links: [LinkKey], byteLimit: Int
    ) throws -> (tags: [LinkKey: [UInt8]], keyCount: Int) {
        try makeRoom()
        try load(links, byteLimit: byteLimit)
        var found: [LinkKey: [UInt8]] = [:]
        var byteCount = 0
        let first = links.prefix { link in
            guard let known = self.links[link] else { return false }
            let size = known.row?.count ?? 0
            guard byteCount == 0 || byteCount + size <= byteLimit else { return false }
            byteCount += size
            found[link] = known.row
            return true
        }
        return (found, first.count)
    }

    private func load(_ links: some Sequence<LinkKey>, byteLimit: Int) throws {
        let unknown = links.filter { self.links[$0] == nil }
        guard !unknown.isEmpty else { return }
        for (link, tags) in try stored.tags(of: unknown, byteLimit: byteLimit) {
            self.links.take(tags, of: link)
        }
    }

    /// Replaces the encoded tags of links; `nil` removes a link.
    package func put(_ tags: [LinkKey: [UInt8]?]) throws {
        try makeRoom()
        try load(tags.keys, byteLimit: .max)
        for (link, tags) in tags {
            let before = links[link]?.row?.count ?? 0
            row.count(bytes: Int64((tags?.count ?? 0) - before))
            links.put(tags, at: link)
        }
    }
}
