import AnabranchReplication

extension PostgreSQLZoneWriter {
    private func unsentRow(_ key: RecordKey) -> HeldRow?? { unsent { $0.rows[key] } }

    private func known(_ key: RecordKey) -> HeldRecord?? {
        unsentRow(key).map { $0.map(HeldRecord.init) } ?? held.records[key]
    }

    /// True if the record's replica is new in this transaction, so that the database has no record
    /// of it.
    private func isNew(_ key: RecordKey) -> Bool { key.ordinal >= firstNewOrdinal }

    /// Some records, as this transaction leaves them so far.
    ///
    /// - Parameter valueBytes: The bytes up to which values are read in the same round trip.
    private func records(
        for keys: some Sequence<RecordKey>, valueBytes: Int = 0
    ) throws -> [RecordKey: HeldRecord] {
        let keys = Set(keys)
        let unknown = keys.filter { !isNew($0) && known($0) == nil }
        if !unknown.isEmpty {
            let rows = try session.run(
                PostgreSQLStatement(
                    Self.sizedRows(
                        "FROM anabranch.record WHERE zone = $1 AND key = ANY($2)", within: "$3"),
                    .text(zone), .integers(unknown.map(\.rawValue)),
                    .integer(Int64(valueBytes))))
            try held.take(rows, of: unknown)
        }
        var found: [RecordKey: HeldRecord] = [:]
        found.reserveCapacity(keys.count)
        for key in keys { found[key] = known(key) ?? nil }
        return found
    }

    func rows(
        for keys: [RecordKey], byteLimit: Int, reserving reserve: (Int) throws -> Void
    ) throws -> (rows: [RecordKey: StateRow], keyCount: Int) {
        try makeRoom()
        let records = try records(
            for: keys, valueBytes: min(byteLimit, ZoneNeeds.bytesTogether))
        var byteCount = 0
        let keys = keys.prefix { key in
            let size = Int(records[key]?.byteCount ?? 0)
            guard byteCount == 0 || byteCount + size <= byteLimit else { return false }
            byteCount += size
            return true
        }
        if byteCount > byteLimit { try reserve(byteCount) }
        return (try values(of: keys.filter { records[$0] != nil }), keys.count)
    }

    /// The rows of records that the zone holds.
    private func values(of keys: [RecordKey]) throws -> [RecordKey: StateRow] {
        var found: [RecordKey: StateRow] = [:]
        found.reserveCapacity(keys.count)
        for key in keys { found[key] = (unsentRow(key) ?? nil)?.row ?? held.rows[key] }
        let missing = keys.filter { found[$0] == nil }
        guard !missing.isEmpty else { return found }
        let rows = try session.run(
            PostgreSQLStatement(
                """
                SELECT \(Self.rowColumns) FROM anabranch.record WHERE zone = $1 AND key = ANY($2)
                """, .text(zone), .integers(missing.map(\.rawValue))))
        for row in rows {
            let row = try row.stateRow()
            found[row.key] = row
        }
        return found
    }

    func entities(of keys: [RecordKey]) throws -> [RecordKey: Int64] {
        try makeRoom()
        return try records(for: keys).mapValues(\.entity)
    }

    func insert(_ rows: [StateRow]) throws {
        try forEachGroup(of: rows) { rows, present in
            var inserted: Set<RecordKey> = []
            for row in rows {
                guard present[row.key] == nil, inserted.insert(row.key).inserted else {
                    throw StorageError(
                        .recordHeld,
                        "Can't insert record \(row.key.number) because the zone holds it already.")
                }
                self.row.count(bytes: row.countedBytes, records: 1)
                change { $0.put(HeldRow(row: row, dead: 0)) }
            }
        }
    }

    func replace(_ rows: [StateRow]) throws {
        try forEachGroup(of: rows) { rows, present in
            for row in rows {
                guard let before = present[row.key] else { continue }
                var dead: Int64 = 0
                if row.isDead {
                    dead = before.dead == 0 ? Int64(clamping: self.row.position) : before.dead
                }
                uncount(before)
                self.row.count(bytes: row.countedBytes, records: dead == 0 ? 1 : 0)
                change { $0.put(HeldRow(row: row, dead: dead)) }
            }
        }
    }

    /// Calls `body` with rows that have few bytes together, or with one row, and with the present
    /// state of their records.
    private func forEachGroup(
        of rows: [StateRow],
        _ body: (ArraySlice<StateRow>, [RecordKey: HeldRecord]) throws -> Void
    ) throws {
        var rest = rows[...]
        while !rest.isEmpty {
            try makeRoom()
            var byteCount = 0
            let group = rest.prefix { row in
                let isFirst = byteCount == 0
                byteCount += Int(row.countedBytes)
                return isFirst || byteCount <= Self.mostKept
            }
            try body(group, records(for: group.lazy.map(\.key)))
            rest = rest.dropFirst(group.count)
        }
    }

    func remove(
        _ keys: [RecordKey], _ body: (LinkKey, [UInt8]) throws -> Void
    ) throws {
        try makeRoom()
        try removeLinks(at: keys, body)
        for (key, record) in try records(for: keys) {
            uncount(record)
            change { $0.remove(key) }
        }
    }

    private func uncount(_ record: HeldRecord) {
        row.count(bytes: -record.byteCount, records: record.dead == 0 ? -1 : 0)
    }
}
