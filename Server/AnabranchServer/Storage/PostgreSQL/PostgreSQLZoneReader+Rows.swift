import AnabranchReplication

extension PostgreSQLZoneReader {
    /// The number of rows that one statement reads, and of rows that may be large.
    private static let rowsTogether: Int64 = 1000
    private static let largeRowsTogether: Int64 = 100

    func forEachRows(_ body: (ZoneRows) throws -> Void) throws {
        try forEach(
            """
            SELECT ordinal, id, sequence, origin FROM anabranch.replica
            WHERE zone = $1 AND ordinal > $2 ORDER BY ordinal LIMIT $3
            """, body, as: { .replicas($0) }, read: { try $0.replicaRow() })
        try forEach(
            """
            SELECT number FROM anabranch.entity
            WHERE zone = $1 AND number > $2 ORDER BY number LIMIT $3
            """, body, as: { .entities($0) },
            read: { (try $0.number(at: 0), try entityName($0.int64(at: 0))) })
        try forEach(
            """
            SELECT number FROM anabranch.property
            WHERE zone = $1 AND number > $2 ORDER BY number LIMIT $3
            """, body, as: { .properties($0) },
            read: { (try $0.number(at: 0), try property(at: $0.int64(at: 0))) })
        try forEach(
            """
            SELECT position, kind, replica, sequence, timestamp, origin, digest, running, change_set
            FROM anabranch.log WHERE zone = $1 AND position > $2 ORDER BY position LIMIT $3
            """, limit: Self.largeRowsTogether, body, as: { .entries($0) },
            read: { try $0.logRow() })
        try forEach(
            """
            SELECT \(Self.rowColumns) FROM anabranch.record
            WHERE zone = $1 AND key > $2 ORDER BY key LIMIT $3
            """, limit: Self.largeRowsTogether, body, as: { .records($0) },
            read: { RecordRow(row: try $0.stateRow(), dead: try $0.unsigned(at: 6)) })
        try forEachLinkRows(body)
        try body(.acknowledgements(acknowledgements()))
        try forEachPartRows(body)
    }

    /// Reads rows in the order of a number in the first column, and gives some at a time.
    private func forEach<Row>(
        _ sql: String, limit: Int64 = rowsTogether, _ body: (ZoneRows) throws -> Void,
        as rows: ([Row]) -> ZoneRows, read: (PostgreSQLRows.Row) throws -> Row
    ) throws {
        var last: Int64 = -1
        while true {
            let found = try query(sql, .integer(last), .integer(limit))
            var some: [Row] = []
            for row in found {
                guard row.int64(at: 0) > last else { throw damaged("its rows are not in order") }
                last = row.int64(at: 0)
                some.append(try read(row))
            }
            if !some.isEmpty { try body(rows(some)) }
            guard found.count == Int(limit) else { return }
        }
    }

    private func forEachLinkRows(_ body: (ZoneRows) throws -> Void) throws {
        var last = LinkKey(left: RecordKey(rawValue: 0), property: 0, right: RecordKey(rawValue: 0))
        while true {
            let found = try query(
                """
                SELECT left_key, property, right_key, tags FROM anabranch.link
                WHERE zone = $1 AND (left_key, property, right_key) > ($2, $3, $4)
                ORDER BY left_key, property, right_key LIMIT $5
                """, .integer(last.left.rawValue), .integer(last.property),
                .integer(last.right.rawValue), .integer(Self.rowsTogether))
            let links = found.map { (link: $0.linkKey(), tags: $0.bytes(at: 3)) }
            if let end = links.last { last = end.link }
            if !links.isEmpty { try body(.links(links)) }
            guard links.count == Int(Self.rowsTogether) else { return }
        }
    }

    private func forEachPartRows(_ body: (ZoneRows) throws -> Void) throws {
        let listed = try query(
            "SELECT digest, size, position FROM anabranch.log_part WHERE zone = $1"
        ).map { row in
            (
                part: SavePart(
                    digest: try row.digest(at: 0), byteCount: Int(try row.number(at: 1))),
                position: try row.unsigned(at: 2)
            )
        }
        if !listed.isEmpty { try body(.logParts(listed)) }
        for part in Set(listed.map(\.part)) {
            var start = 0
            while start < part.byteCount {
                let bytes = try piece(of: part, from: start)
                guard !bytes.isEmpty else { throw damaged("a part of a save is not complete") }
                try body(.pieces([PartPiece(part: part, start: start, bytes: bytes)]))
                start += bytes.count
            }
        }
    }
}
