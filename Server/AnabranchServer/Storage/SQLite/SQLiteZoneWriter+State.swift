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
        for keys: [RecordKey], byteLimit: Int
    ) throws -> (rows: [RecordKey: StateRow], keyCount: Int) {
        let select = try connection.cached(
            """
            SELECT key, entity, timestamp, author, cells, seen, dead FROM record WHERE key = ?
            """)
        var rows: [RecordKey: StateRow] = [:]
        rows.reserveCapacity(keys.count)
        var byteCount = 0
        for (index, key) in keys.enumerated() {
            guard byteCount <= byteLimit else { return (rows, index) }
            try select.bind(key.rawValue, at: 1)
            if try select.step() {
                let row = try select.stateRow()
                byteCount += row.cells.count + (row.seen?.count ?? 0)
                rows[key] = row
            }
            select.reset()
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

    @discardableResult
    package func remove(_ keys: [RecordKey]) throws -> [LinkKey: [UInt8]] {
        let record = try connection.cached("DELETE FROM record WHERE key = ?")
        let ends = try ["left", "right"].map { end in
            try connection.cached("SELECT left, property, right, tags FROM link WHERE \(end) = ?")
        }
        var removed: [LinkKey: [UInt8]] = [:]
        for key in keys {
            try uncount(key)
            try record.bind(key.rawValue, at: 1)
            try record.run()
            var links: [LinkKey: [UInt8]] = [:]
            for end in ends {
                try end.bind(key.rawValue, at: 1)
                defer { end.reset() }
                while try end.step() {
                    let link = LinkKey(
                        left: RecordKey(rawValue: end.int64(at: 0)), property: end.int64(at: 1),
                        right: RecordKey(rawValue: end.int64(at: 2)))
                    links[link] = end.bytes(at: 3)
                }
            }
            for (link, tags) in links {
                try remove(link)
                removed[link] = tags
            }
        }
        return removed
    }

    package func setChecksum(_ checksum: StateChecksum) throws {
        let zone = try connection.cached("UPDATE zone SET checksum = ?")
        try zone.bind(checksum.bytes, at: 1)
        try zone.run()
    }

    package func tags(of links: [LinkKey]) throws -> [LinkKey: [UInt8]] {
        let select = try connection.cached(
            "SELECT tags FROM link WHERE left = ? AND property = ? AND right = ?")
        var tags: [LinkKey: [UInt8]] = [:]
        for link in links {
            try bind(link, to: select)
            if try select.step() { tags[link] = select.bytes(at: 0) }
            select.reset()
        }
        return tags
    }

    package func put(_ tags: [UInt8], on link: LinkKey) throws {
        let put = try connection.cached(
            "INSERT OR REPLACE INTO link(left, property, right, tags) VALUES (?, ?, ?, ?)")
        try uncount(link)
        try count(bytes: tags.count)
        try bind(link, to: put)
        try put.bind(tags, at: 4)
        try put.run()
    }

    package func remove(_ link: LinkKey) throws {
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
