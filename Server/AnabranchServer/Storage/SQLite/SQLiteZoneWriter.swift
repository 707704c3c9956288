package import AnabranchReplication
import AnabranchSQLite

/// Reads and writes a zone's rows in its file, within the zone's one write transaction.
package final class SQLiteZoneWriter: SQLiteZoneReader, ZoneWriting {
    /// The zone's row in the file.
    private var writtenRow: ZoneRow
    /// An upper limit of the keys of one replica's records; greater ones are not looked up.
    var greatestKey: RecordKey?

    init(_ connection: Connection, row: ZoneRow, names: ZoneNameCache) {
        writtenRow = row
        super.init(connection, names: names)
    }

    package func replace(_ row: ZoneRow) throws {
        guard row != writtenRow else { return }
        if row.epochs != writtenRow.epochs { try write(row.epochs) }
        let update = try connection.cached(
            """
            UPDATE zone SET greatest = ?, start = ?, checksum = ?, bytes = ?, records = ?, day = ?,
                day_bytes = ?, quota_bytes = ?, quota_records = ?, quota_replicas = ?,
                quota_daily_bytes = ?
            """)
        try update.bind(Int64(clamping: row.greatestTimestamp), at: 1)
        try update.bind(Int64(clamping: row.startPosition), at: 2)
        try update.bind(row.checksum.bytes, at: 3)
        let numbers = [row.bytes, row.records, row.day, row.dayBytes] + row.quotas.stored
        for (index, number) in numbers.enumerated() {
            try update.bind(number.map { .integer($0) } ?? .null, at: 4 + index)
        }
        try update.run()
        writtenRow = row
    }

    private func write(_ history: EpochHistory) throws {
        try connection.execute("DELETE FROM epoch")
        try forEach(
            Array(history.epochs.enumerated()),
            "INSERT INTO epoch(ordinal, id, fork) VALUES (?, ?, ?)"
        ) { row, epoch in
            try row.bind(Int64(epoch.offset), at: 1)
            try row.bind(epoch.element.id.bytes, at: 2)
            try row.bind(Int64(clamping: epoch.element.forkPosition), at: 3)
        }
    }

    /// Runs a statement for each of some values.
    func forEach<Value>(
        _ values: some Collection<Value>, _ sql: String, _ bind: (Statement, Value) throws -> Void
    ) throws {
        guard !values.isEmpty else { return }
        let statement = try connection.cached(sql)
        for value in values {
            try bind(statement, value)
            try statement.run()
        }
    }

    package func removeAll() throws {
        greatestKey = nil
        for table in [
            "log", "record", "link", "replica", "entity", "property", "acknowledgement", "part",
            "log_part", "stage",
        ] {
            try connection.execute("DELETE FROM \(table)")
        }
    }

    // MARK: Parts of a transaction

    package func beginPart() throws { try connection.execute("SAVEPOINT part") }

    package func endPart() throws { try connection.execute("RELEASE part") }

    package func undoPart(after error: any Error) throws {
        guard connection.isInTransaction else { return }
        try connection.execute("ROLLBACK TO part")
        try connection.execute("RELEASE part")
    }

    // MARK: Names

    package func number(heldForEntity name: WireName) throws -> Int64? {
        let row = try connection.cached("SELECT number FROM entity WHERE name = ?")
        try row.bind(Array(name.string.utf8), at: 1)
        return try row.step() ? try row.number(at: 0) : nil
    }

    package func number(heldForProperty property: WireProperty) throws -> Int64? {
        let row = try connection.cached(
            "SELECT number FROM property WHERE name = ? AND type = ? AND rule = ?")
        try row.bind(Array(property.name.string.utf8), at: 1)
        try row.bind(Int64(property.type.rawValue), at: 2)
        try row.bind(Int64(property.rule.rawValue), at: 3)
        return try row.step() ? try row.number(at: 0) : nil
    }

    // MARK: Records and links

    package func records(
        for keys: [RecordKey], valueBytes: Int
    ) throws -> [RecordKey: HeldRecord] {
        // SQLite takes a length from the row's header, without the pages of the value.
        let select = try connection.cached(
            """
            SELECT key, entity, timestamp, author,
                CASE WHEN length(cells) + coalesce(length(seen), 0) <= ?2 THEN cells END,
                CASE WHEN length(cells) + coalesce(length(seen), 0) <= ?2 THEN seen END, dead,
                length(cells) + coalesce(length(seen), 0)
            FROM record WHERE key = ?1
            """)
        var records: [RecordKey: HeldRecord] = [:]
        var bytesLeft = Int64(valueBytes)
        for key in keys {
            if let greatestKey, greatestKey.ordinal == key.ordinal,
                key.rawValue > greatestKey.rawValue
            {
                continue
            }
            try select.bind(key.rawValue, at: 1)
            try select.bind(bytesLeft, at: 2)
            defer { select.reset() }
            guard try select.step() else {
                // Its author probably inserts it, and others after it.
                try readGreatestKey(of: key.ordinal)
                continue
            }
            let size = try select.amount(at: 7)
            records[key] = HeldRecord(
                entity: try select.number(at: 1), byteCount: size, dead: try select.unsigned(at: 6),
                values: size <= bytesLeft ? try select.stateRow() : nil)
            bytesLeft = max(bytesLeft - size, 0)
        }
        return records
    }

    private func readGreatestKey(of ordinal: Int64) throws {
        guard greatestKey?.ordinal != ordinal else { return }
        let row = try connection.cached("SELECT max(key) FROM record WHERE key BETWEEN ? AND ?")
        let least = RecordKey(ordinal: ordinal, number: 0)
        try row.bind(least.rawValue, at: 1)
        try row.bind(RecordKey(ordinal: ordinal, number: 1 << 40 - 1).rawValue, at: 2)
        defer { row.reset() }
        let isFound = try row.step() && !row.isNull(at: 0)
        greatestKey = isFound ? RecordKey(rawValue: row.int64(at: 0)) : least
    }

    package func values(of keys: [RecordKey]) throws -> [StateRow] {
        let select = try connection.cached(
            """
            SELECT key, entity, timestamp, author, cells, seen, dead FROM record WHERE key = ?
            """)
        return try keys.compactMap { key in
            try select.bind(key.rawValue, at: 1)
            defer { select.reset() }
            return try select.step() ? try select.stateRow() : nil
        }
    }

    private func bind(_ link: LinkKey, to statement: Statement) throws {
        try statement.bind(link.left.rawValue, at: 1)
        try statement.bind(link.property, at: 2)
        try statement.bind(link.right.rawValue, at: 3)
    }

    package func tags(of links: [LinkKey], byteLimit: Int) throws -> [LinkKey: [UInt8]?] {
        let select = try connection.cached(
            """
            SELECT length(tags), CASE WHEN length(tags) <= ?4 THEN tags END FROM link
            WHERE left = ?1 AND property = ?2 AND right = ?3
            """)
        var tags: [LinkKey: [UInt8]?] = [:]
        var bytesLeft = Int64.max
        for link in links {
            try bind(link, to: select)
            try select.bind(bytesLeft, at: 4)
            defer { select.reset() }
            guard try select.step() else {
                tags.updateValue(nil, forKey: link)
                continue
            }
            let size = select.int64(at: 0)
            guard size <= bytesLeft else { break }
            tags[link] = .some(select.bytes(at: 1))
            // The tags of a single link are read, whatever their size is.
            bytesLeft = max(min(bytesLeft, Int64(byteLimit)) - size, 0)
        }
        return tags
    }

    /// The greatest number of links that are read at a time, and the bytes of their tags after
    /// which no further one is read.
    private static let linksTogether = 10_000
    private static let tagBytesTogether = 4 << 20

    package func forEachLinks(
        at keys: [RecordKey], _ body: ([(link: LinkKey, tags: [UInt8])]) throws -> Void
    ) throws {
        let start: [Int64] = [-1, -1]
        for key in keys {
            try forEachLinks(
                """
                SELECT left, property, right, tags FROM link
                WHERE left = ?1 AND (property, right) > (?2, ?3) ORDER BY property, right
                """, at: key, after: start, { [$0.property, $0.right.rawValue] }, body)
            try forEachLinks(
                """
                SELECT left, property, right, tags FROM link
                WHERE right = ?1 AND (left, property) > (?2, ?3) ORDER BY left, property
                """, at: key, after: start, { [$0.left.rawValue, $0.property] }, body)
        }
    }

    /// Calls `body` with the links of a statement, some at a time: a statement must not read a
    /// table from which another one removes rows.
    ///
    /// - Parameter place: Returns the two numbers by which the statement sorts links.
    private func forEachLinks(
        _ sql: String, at key: RecordKey, after start: [Int64], _ place: (LinkKey) -> [Int64],
        _ body: ([(link: LinkKey, tags: [UInt8])]) throws -> Void
    ) throws {
        var last = start
        var isLast = false
        while !isLast {
            let select = try connection.cached(sql)
            for (index, value) in ([key.rawValue] + last).enumerated() {
                try select.bind(value, at: index + 1)
            }
            var links: [(link: LinkKey, tags: [UInt8])] = []
            var byteCount = 0
            isLast = true
            while try select.step() {
                links.append((select.linkKey(), select.bytes(at: 3)))
                byteCount += links[links.count - 1].tags.count
                isLast = links.count < Self.linksTogether && byteCount < Self.tagBytesTogether
                if !isLast { break }
            }
            select.reset()
            guard let end = links.last else { return }
            last = place(end.link)
            try body(links)
        }
    }
}
