package import AnabranchReplication
import AnabranchSQLite

extension SQLiteZoneWriter {
    package func insert(_ rows: [StateRow]) throws {
        let insert = try connection.cached(
            """
            INSERT INTO record(key, entity, timestamp, author, cells) VALUES (?, ?, ?, ?, ?)
            """)
        for row in rows {
            try insert.bind(row.key.rawValue, at: 1)
            try insert.bind(row.entity, at: 2)
            try insert.bind(Int64(clamping: row.timestamp), at: 3)
            try insert.bind(row.author, at: 4)
            do {
                try run(insert, with: row.cells, at: 5)
            } catch let error as SQLiteError where error.code == .constraint {
                throw StorageError(
                    .recordHeld,
                    "Can't insert record \(row.key.number) because the zone holds it already.")
            }
            try count(bytes: row.cells.count, records: 1)
        }
    }

    package func rows(
        for keys: [RecordKey], byteLimit: Int, reserving reserve: (Int) throws -> Void
    ) throws -> (rows: [RecordKey: StateRow], keyCount: Int) {
        // SQLite takes a length from the row's header, without the pages of the value.
        let select = try connection.cached(
            """
            SELECT key, entity, timestamp, author,
                CASE WHEN length(cells) + coalesce(length(seen), 0) <= ?2 THEN cells END,
                CASE WHEN length(cells) + coalesce(length(seen), 0) <= ?2 THEN seen END, dead,
                length(cells) + coalesce(length(seen), 0)
            FROM record WHERE key = ?1
            """)
        var rows: [RecordKey: StateRow] = [:]
        rows.reserveCapacity(keys.count)
        var bytesLeft = byteLimit
        for (index, key) in keys.enumerated() {
            try select.bind(key.rawValue, at: 1)
            try select.bind(Int64(bytesLeft), at: 2)
            defer { select.reset() }
            guard try select.step() else { continue }
            let size = Int(select.int64(at: 7))
            if size <= bytesLeft {
                rows[key] = try select.stateRow()
                bytesLeft -= size
            } else if rows.isEmpty {
                try reserve(size)
                select.reset()
                try select.bind(Int64.max, at: 2)
                if try select.step() { rows[key] = try select.stateRow() }
                return (rows, index + 1)
            } else {
                return (rows, index)
            }
        }
        return (rows, keys.count)
    }

    package func entities(of keys: [RecordKey]) throws -> [RecordKey: Int64] {
        let select = try connection.cached("SELECT entity FROM record WHERE key = ?")
        var entities: [RecordKey: Int64] = [:]
        entities.reserveCapacity(keys.count)
        for key in keys {
            try select.bind(key.rawValue, at: 1)
            if try select.step() { entities[key] = select.int64(at: 0) }
            select.reset()
        }
        return entities
    }

    package func replace(_ rows: [StateRow]) throws {
        let update = try connection.cached(
            """
            UPDATE record SET cells = ?, seen = ?, dead = CASE WHEN NOT ? THEN 0
                WHEN dead THEN dead ELSE (SELECT max(position) FROM log) END
            WHERE key = ?
            """)
        for row in rows {
            guard try uncount(row.key) else { continue }
            try count(bytes: Int(row.countedBytes), records: row.isDead ? 0 : 1)
            if let seen = row.seen {
                try update.bind(seen, at: 2)
            } else {
                try update.bindNull(at: 2)
            }
            try update.bind(row.isDead ? 1 : 0 as Int64, at: 3)
            try update.bind(row.key.rawValue, at: 4)
            try run(update, with: row.cells, at: 1)
        }
    }

    /// Runs a statement that reads a record's cells in place, because they may be large.
    private func run(_ statement: Statement, with cells: [UInt8], at index: Int) throws {
        try cells.withUnsafeBytes { bytes in
            try statement.unsafeBindBlob(bytes, at: index)
            defer { try? statement.bindNull(at: index) }
            try statement.run()
        }
    }

    package func remove(
        _ keys: [RecordKey], _ body: (LinkKey, [UInt8]) throws -> Void
    ) throws {
        let record = try connection.cached("DELETE FROM record WHERE key = ?")
        for key in keys {
            try uncount(key)
            try record.bind(key.rawValue, at: 1)
            try record.run()
            for end in ["left", "right"] { try removeLinks(at: key, end, body) }
        }
    }

    /// The greatest number of links that are read before they are removed, and the bytes of their
    /// tags after which no further one is read.
    private static let linksTogether = 10_000
    private static let tagBytesTogether = 4 << 20

    /// Removes the links with a record at one end, some at a time: a statement must not read a
    /// table from which another one removes rows.
    private func removeLinks(
        at key: RecordKey, _ end: String, _ body: (LinkKey, [UInt8]) throws -> Void
    ) throws {
        let select = try connection.cached(
            "SELECT left, property, right, tags FROM link WHERE \(end) = ?")
        var isLast = false
        while !isLast {
            var links: [(link: LinkKey, tags: [UInt8])] = []
            var byteCount = 0
            try select.bind(key.rawValue, at: 1)
            isLast = true
            while try select.step() {
                let tags = select.bytes(at: 3)
                links.append((select.linkKey(), tags))
                byteCount += tags.count
                isLast = links.count < Self.linksTogether && byteCount < Self.tagBytesTogether
                if !isLast { break }
            }
            select.reset()
            for (link, tags) in links {
                try remove(link)
                try body(link, tags)
            }
        }
    }

    package func setChecksum(_ checksum: StateChecksum) throws {
        kept.checksum = checksum
        kept.isRowChanged = true
    }

    package func tags(
        of links: [LinkKey], byteLimit: Int
    ) throws -> (tags: [LinkKey: [UInt8]], keyCount: Int) {
        let select = try connection.cached(
            """
            SELECT length(tags), CASE WHEN length(tags) <= ?4 THEN tags END FROM link
            WHERE left = ?1 AND property = ?2 AND right = ?3
            """)
        var tags: [LinkKey: [UInt8]] = [:]
        var bytesLeft = byteLimit
        for (index, link) in links.enumerated() {
            try bind(link, to: select)
            // The tags of a single link are read, whatever their size is.
            try select.bind(tags.isEmpty ? .max : Int64(max(bytesLeft, 0)), at: 4)
            defer { select.reset() }
            guard try select.step() else { continue }
            bytesLeft -= Int(select.int64(at: 0))
            guard bytesLeft >= 0 || tags.isEmpty else { return (tags, index) }
            tags[link] = select.bytes(at: 1)
        }
        return (tags, links.count)
    }

    package func put(_ tags: [LinkKey: [UInt8]?]) throws {
        for (link, tags) in tags {
            if let tags { try put(tags, on: link) } else { try remove(link) }
        }
    }

    func put(_ tags: [UInt8], on link: LinkKey) throws {
        let put = try connection.cached(
            "INSERT OR REPLACE INTO link(left, property, right, tags) VALUES (?, ?, ?, ?)")
        try uncount(link)
        try count(bytes: tags.count)
        try bind(link, to: put)
        try put.bind(tags, at: 4)
        try put.run()
    }

    private func remove(_ link: LinkKey) throws {
        let remove = try connection.cached(
            "DELETE FROM link WHERE left = ? AND property = ? AND right = ?")
        try uncount(link)
        try bind(link, to: remove)
        try remove.run()
    }

    func bind(_ link: LinkKey, to statement: Statement) throws {
        try statement.bind(link.left.rawValue, at: 1)
        try statement.bind(link.property, at: 2)
        try statement.bind(link.right.rawValue, at: 3)
    }
}
