package import AnabranchReplication
import AnabranchSQLite

extension SQLiteZoneReader {
    /// The number of rows that are given at a time, and the bytes above which fewer are.
    private static let rowsTogether = 1000
    private static let bytesTogether = 8 << 20

    package func forEachRows(_ body: (ZoneRows) throws -> Void) throws {
        try forEach("SELECT ordinal, id, sequence, origin FROM replica ORDER BY ordinal", body) {
            .replicas($0)
        } read: {
            try $0.replicaRow()
        }
        try forEach("SELECT number FROM entity ORDER BY number", body) {
            .entities($0)
        } read: { row in
            (row.int64(at: 0), try entityName(row.int64(at: 0)))
        }
        try forEach("SELECT number FROM property ORDER BY number", body) {
            .properties($0)
        } read: { row in
            (row.int64(at: 0), try property(at: row.int64(at: 0)))
        }
        try forEachLogRows(body)
        try forEach(
            """
            SELECT key, entity, timestamp, author, cells, seen, dead FROM record ORDER BY key
            """, body
        ) {
            .records($0)
        } size: {
            Int($0.row.countedBytes)
        } read: { row in
            RecordRow(row: try row.stateRow(), dead: try row.unsigned(at: 6))
        }
        try forEach(
            "SELECT left, property, right, tags FROM link ORDER BY left, property, right", body
        ) {
            .links($0)
        } size: {
            $0.tags.count
        } read: { row in
            (row.linkKey(), row.bytes(at: 3))
        }
        try body(.acknowledgements(acknowledgements()))
        try forEach("SELECT digest, size, position FROM log_part", body) {
            .logParts($0)
        } read: { row in
            (try row.part(), try row.unsigned(at: 2))
        }
        try forEach(
            """
            SELECT digest, size, start, bytes FROM part p WHERE EXISTS
            (SELECT 1 FROM log_part l WHERE l.digest = p.digest AND l.size = p.size)
            """, body
        ) {
            .pieces($0)
        } size: {
            $0.bytes.count
        } read: { row in
            PartPiece(part: try row.part(), start: Int(row.int64(at: 2)), bytes: row.bytes(at: 3))
        }
    }

    private func forEachLogRows(_ body: (ZoneRows) throws -> Void) throws {
        try forEach(
            """
            SELECT position, kind, replica, sequence, timestamp, origin, digest, running, change_set
            FROM log ORDER BY position
            """, body
        ) {
            .entries($0)
        } size: {
            $0.changeSet.count
        } read: {
            try $0.logRow()
        }
    }

    /// Reads the rows of a statement and gives some at a time.
    private func forEach<Row>(
        _ sql: String, _ body: (ZoneRows) throws -> Void, as rows: ([Row]) -> ZoneRows,
        size: (Row) -> Int = { _ in 64 }, read: (Statement) throws -> Row
    ) throws {
        let statement = try connection.prepare(sql)
        var some: [Row] = []
        var byteCount = 0
        while try statement.step() {
            let row = try read(statement)
            some.append(row)
            byteCount += size(row)
            guard some.count >= Self.rowsTogether || byteCount >= Self.bytesTogether else {
                continue
            }
            try body(rows(some))
            some = []
            byteCount = 0
        }
        if !some.isEmpty { try body(rows(some)) }
    }
}

extension SQLiteZoneWriter {
    package func removeAll() throws {
        kept.head = nil
        kept.greatest = 0
        for table in [
            "log", "record", "link", "replica", "entity", "property", "acknowledgement", "part",
            "log_part", "stage",
        ] {
            try connection.execute("DELETE FROM \(table)")
        }
        try connection.run("UPDATE zone SET greatest = 0, start = 0")
        try setChecksum(.zero)
        names.forget()
        try count { $0 = ZoneUse(day: $0.day, dayBytes: $0.dayBytes) }
    }

    package func beginEpoch(_ epoch: EpochID) throws {
        try ZoneSchema.beginEpoch(epoch, connection)
    }

    package func setLog(_ state: LogState) throws {
        try writeKept()
        kept.greatest = 0
        try connection.execute("DELETE FROM epoch")
        for (ordinal, epoch) in state.history.epochs.enumerated() {
            try connection.run(
                "INSERT INTO epoch(ordinal, id, fork) VALUES (?, ?, ?)",
                .integer(Int64(ordinal)), .blob(epoch.id.bytes),
                .integer(Int64(clamping: epoch.forkPosition)))
        }
        try connection.run(
            "UPDATE zone SET greatest = ?, start = ?",
            .integer(Int64(clamping: state.greatestTimestamp.rawValue)),
            .integer(Int64(clamping: state.startPosition)))
    }

    package func insert(_ rows: ZoneRows) throws {
        switch rows {
        case .replicas(let rows): try insert(replicas: rows)
        case .entities(let rows):
            for (number, name) in rows {
                try connection.run(
                    "INSERT INTO entity(number, name) VALUES (?, ?)", .integer(number),
                    .blob(Array(name.string.utf8)))
                try count(bytes: name.countedBytes)
            }
        case .properties(let rows):
            for (number, property) in rows {
                try connection.run(
                    "INSERT INTO property(number, name, type, rule) VALUES (?, ?, ?, ?)",
                    .integer(number), .blob(Array(property.name.string.utf8)),
                    .integer(Int64(property.type.rawValue)),
                    .integer(Int64(property.rule.rawValue)))
                try count(bytes: property.name.countedBytes)
            }
        case .entries(let rows): try insert(entries: rows)
        case .records(let rows): try insert(records: rows)
        case .links(let rows): for (link, tags) in rows { try put(tags, on: link) }
        case .acknowledgements(let positions): try acknowledge(positions)
        case .logParts(let rows):
            for (part, position) in rows { try putInLog([part], at: position) }
        case .pieces(let rows): try insert(pieces: rows)
        }
    }

    private func insert(replicas rows: [ReplicaRow]) throws {
        for row in rows {
            try connection.run(
                "INSERT INTO replica(ordinal, id, sequence, origin) VALUES (?, ?, ?, ?)",
                .integer(row.ordinal), .blob(row.id.bytes),
                .integer(Int64(clamping: row.head?.sequence ?? 0)),
                row.head.map { .blob($0.origin.bytes) } ?? .null)
            try count { $0.replicas = max($0.replicas, row.ordinal + 1) }
        }
    }

    private func insert(entries rows: [LogRow]) throws {
        for row in rows {
            try connection.run(
                """
                INSERT INTO log(position, kind, replica, sequence, timestamp, origin, digest,
                    running, change_set) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """, .integer(Int64(clamping: row.position)), .integer(Int64(row.kind.rawValue)),
                .integer(row.author), .integer(Int64(clamping: row.sequence)),
                .integer(Int64(clamping: row.timestamp)), .blob(row.origin.bytes),
                .blob(row.digest.bytes), .blob(row.running.bytes), .blob(row.changeSet))
            try count(bytes: row.changeSet.count)
        }
    }

    private func insert(records rows: [RecordRow]) throws {
        for each in rows {
            try connection.run(
                """
                INSERT INTO record(key, entity, timestamp, author, cells, seen, dead)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """, .integer(each.row.key.rawValue), .integer(each.row.entity),
                .integer(Int64(clamping: each.row.timestamp)), .integer(each.row.author),
                .blob(each.row.cells), each.row.seen.map { .blob($0) } ?? .null,
                .integer(Int64(clamping: each.dead)))
            try count(bytes: Int(each.row.countedBytes), records: each.dead == 0 ? 1 : 0)
        }
    }

    private func insert(pieces rows: [PartPiece]) throws {
        for row in rows {
            try connection.run(
                "INSERT INTO part(digest, size, start, bytes) VALUES (?, ?, ?, ?)",
                .blob(row.part.digest.bytes), .integer(Int64(row.part.byteCount)),
                .integer(Int64(row.start)), .blob(row.bytes))
            try count(bytes: row.bytes.count)
        }
    }
}

extension Statement {
    /// Reads the columns digest and size.
    fileprivate func part() throws -> SavePart {
        SavePart(digest: try digest(at: 0), byteCount: Int(int64(at: 1)))
    }
}
