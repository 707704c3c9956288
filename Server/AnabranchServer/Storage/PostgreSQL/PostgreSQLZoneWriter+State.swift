import AnabranchReplication

extension PostgreSQLZoneWriter {
    /// The rows of some records, as this transaction leaves them so far.
    private func heldRows(for keys: [RecordKey]) throws -> [RecordKey: HeldRow] {
        let unknown = Set(keys).filter {
            !isNew($0) && unsentRow($0) == nil && held.rows[$0] == nil
        }
        if !unknown.isEmpty {
            let rows = try session.run(
                PostgreSQLStatement(
                    """
                    SELECT \(Self.rowColumns) FROM anabranch.record
                    WHERE zone = $1 AND key = ANY($2)
                    """, .text(zone), .integers(unknown.map(\.rawValue))))
            try held.take(rows, of: unknown)
        }
        var found: [RecordKey: HeldRow] = [:]
        found.reserveCapacity(keys.count)
        for key in keys {
            if let row = unsentRow(key) ?? held.rows[key] ?? nil { found[key] = row }
        }
        return found
    }

    private func unsentRow(_ key: RecordKey) -> HeldRow?? { unsent { $0.rows[key] } }

    /// True if the record's replica is new in this transaction, so that the database has no record
    /// of it.
    private func isNew(_ key: RecordKey) -> Bool { key.ordinal >= firstNewOrdinal }

    func rows(
        for keys: [RecordKey], byteLimit: Int
    ) throws -> (rows: [RecordKey: StateRow], keyCount: Int) {
        (try heldRows(for: keys).mapValues(\.row), keys.count)
    }

    func entities(of keys: [RecordKey]) throws -> [RecordKey: Int64] {
        let unknown = Set(keys).filter {
            !isNew($0) && unsentRow($0) == nil && held.rows[$0] == nil && held.entities[$0] == nil
        }
        if !unknown.isEmpty {
            for key in unknown { held.entities.updateValue(nil, forKey: key) }
            let rows = try session.run(
                PostgreSQLStatement(
                    "SELECT key, entity FROM anabranch.record WHERE zone = $1 AND key = ANY($2)",
                    .text(zone), .integers(unknown.map(\.rawValue))))
            for row in rows {
                held.entities[RecordKey(rawValue: row.int64(at: 0))] = .some(row.int64(at: 1))
            }
        }
        var found: [RecordKey: Int64] = [:]
        for key in keys {
            if let row = unsentRow(key) ?? held.rows[key] {
                found[key] = row?.row.entity
            } else if let entity = held.entities[key] ?? nil {
                found[key] = entity
            }
        }
        return found
    }

    func insert(_ rows: [StateRow]) throws {
        let present = try heldRows(for: rows.map(\.key))
        var inserted: Set<RecordKey> = []
        for row in rows {
            guard present[row.key] == nil, inserted.insert(row.key).inserted else {
                throw StorageError(
                    .recordHeld,
                    "Can't insert record \(row.key.number) because the zone holds it already.")
            }
        }
        for row in rows {
            self.row.count(bytes: row.countedBytes, records: 1)
            try change { $0.put(HeldRow(row: row, dead: 0)) }
        }
    }

    func replace(_ rows: [StateRow]) throws {
        let present = try heldRows(for: rows.map(\.key))
        for row in rows {
            guard let before = present[row.key] else { continue }
            var after = before
            after.row.cells = row.cells
            after.row.seen = row.seen
            after.row.isDead = row.isDead
            if !row.isDead {
                after.dead = 0
            } else if before.dead == 0 {
                after.dead = Int64(clamping: self.row.position)
            }
            uncount(before)
            self.row.count(bytes: after.row.countedBytes, records: after.dead == 0 ? 1 : 0)
            try change { $0.put(after) }
        }
    }

    @discardableResult
    func remove(_ keys: [RecordKey]) throws -> [LinkKey: [UInt8]] {
        let present = try heldRows(for: keys)
        let removed = try links(at: keys)
        for held in present.values { uncount(held) }
        for tags in removed.values { row.count(bytes: -Int64(tags.count)) }
        try change { changes in
            for key in present.keys { changes.remove(key) }
            for link in removed.keys { changes.put(nil, on: link) }
        }
        return removed
    }

    private func uncount(_ held: HeldRow) {
        row.count(bytes: -held.row.countedBytes, records: held.dead == 0 ? -1 : 0)
    }

    /// The links from or to records, as this transaction leaves them so far.
    private func links(at keys: [RecordKey]) throws -> [LinkKey: [UInt8]] {
        let ends = PostgreSQLValue.integers(keys.map(\.rawValue))
        let rows = try query(
            """
            SELECT left_key, property, right_key, tags FROM anabranch.link
            WHERE zone = $1 AND left_key = ANY($2)
            UNION ALL
            SELECT left_key, property, right_key, tags FROM anabranch.link
            WHERE zone = $1 AND right_key = ANY($2) AND NOT left_key = ANY($2)
            """, ends)
        var links: [LinkKey: [UInt8]] = [:]
        for row in rows {
            links[row.linkKey()] = row.bytes(at: 3)
            held.tags[row.linkKey()] = .some(row.bytes(at: 3))
        }
        return links
    }

    func tags(of links: [LinkKey]) throws -> [LinkKey: [UInt8]] {
        let unknown = Set(links).filter { unsentTags($0) == nil && held.tags[$0] == nil }
        if !unknown.isEmpty { try loadTags(of: Array(unknown)) }
        var found: [LinkKey: [UInt8]] = [:]
        for link in links {
            if let tags = unsentTags(link) ?? held.tags[link] ?? nil { found[link] = tags }
        }
        return found
    }

    private func unsentTags(_ link: LinkKey) -> [UInt8]?? { unsent { $0.tags[link] } }

    private func loadTags(of links: [LinkKey]) throws {
        for link in links { held.tags.updateValue(nil, forKey: link) }
        let rows = try session.run(
            PostgreSQLStatement(
                """
                SELECT l.left_key, l.property, l.right_key, l.tags FROM anabranch.link AS l
                JOIN unnest($2::bigint[], $3::bigint[], $4::bigint[])
                    AS k(left_key, property, right_key)
                    ON l.left_key = k.left_key AND l.property = k.property
                    AND l.right_key = k.right_key
                WHERE l.zone = $1
                """, .text(zone), .integers(links.map(\.left.rawValue)),
                .integers(links.map(\.property)), .integers(links.map(\.right.rawValue))))
        for row in rows { held.tags[row.linkKey()] = .some(row.bytes(at: 3)) }
    }

    func put(_ tags: [UInt8], on link: LinkKey) throws {
        try uncountTags(of: link)
        row.count(bytes: Int64(tags.count))
        try change { $0.put(tags, on: link) }
    }

    func remove(_ link: LinkKey) throws {
        try uncountTags(of: link)
        try change { $0.put(nil, on: link) }
    }

    private func uncountTags(of link: LinkKey) throws {
        if unsentTags(link) == nil, held.tags[link] == nil { try loadTags(of: [link]) }
        let tags = unsentTags(link) ?? held.tags[link] ?? nil
        row.count(bytes: -Int64(tags?.count ?? 0))
    }
}
