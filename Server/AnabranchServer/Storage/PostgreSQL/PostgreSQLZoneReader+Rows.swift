import AnabranchReplication

extension PostgreSQLZoneReader {
    /// The number of rows that one statement reads, and the bytes of values that may be large.
    private static let rowsTogether: Int64 = 1000
    private static let bytesTogether: Int64 = 8 << 20

    func forEachRows(_ body: (ZoneRows) throws -> Void) throws {
        try forEach(
            "SELECT ordinal, id, sequence, origin FROM anabranch.replica WHERE zone = $1", body,
            by: "ordinal", as: { .replicas($0) }, read: { try $0.replicaRow() })
        try forEach(
            "SELECT number FROM anabranch.entity WHERE zone = $1", body, by: "number",
            as: { .entities($0) },
            read: { (try $0.number(at: 0), try entityName($0.int64(at: 0))) })
        try forEach(
            "SELECT number FROM anabranch.property WHERE zone = $1", body, by: "number",
            as: { .properties($0) },
            read: { (try $0.number(at: 0), try property(at: $0.int64(at: 0))) })
        try forEach(
            """
            SELECT position, kind, replica, sequence, timestamp, origin, digest, running, change_set
            FROM anabranch.log WHERE zone = $1
            """, body, by: "position", size: "octet_length(change_set)", as: { .entries($0) },
            read: { try $0.logRow() })
        try forEach(
            "SELECT \(Self.rowColumns) FROM anabranch.record WHERE zone = $1", body, by: "key",
            size: "octet_length(cells) + coalesce(octet_length(seen), 0)", as: { .records($0) },
            read: { RecordRow(row: try $0.stateRow(), dead: try $0.unsigned(at: 6)) })
        try forEachLinkPage { rows in
            try body(.links(rows.map { ($0.linkKey(), $0.bytes(at: 3)) }))
        }
        try body(.acknowledgements(acknowledgements()))
        try forEachPartRows(body)
    }

    /// Reads rows in the order of a number in the first column, and gives some at a time.
    ///
    /// - Parameters:
    ///   - key: The name of that column.
    ///   - size: An expression for the bytes of a row's values.
    private func forEach<Row>(
        _ sql: String, _ body: (ZoneRows) throws -> Void, by key: String, size: String = "0",
        as rows: ([Row]) -> ZoneRows, read: (PostgreSQLRows.Row) throws -> Row
    ) throws {
        var last: Int64 = -1
        while true {
            let found = try query(
                Self.page(
                    of: sql + " AND \(key) > $2", by: key, size: size, rows: "$3", bytes: "$4"),
                .integer(last), .integer(Self.rowsTogether), .integer(Self.bytesTogether))
            var some: [Row] = []
            for row in found {
                guard row.int64(at: 0) > last else { throw damaged("its rows are not in order") }
                last = row.int64(at: 0)
                some.append(try read(row))
            }
            guard !some.isEmpty else { return }
            try body(rows(some))
        }
    }

    /// A statement that reads the first rows of another one, in an order.
    ///
    /// - Parameters:
    ///   - size: An expression for the bytes of a row's values.
    ///   - rows: The parameter with the greatest number of rows.
    ///   - bytes: The parameter with the greatest number of bytes, unless the first row that has
    ///     any has more.
    private static func page(
        of sql: String, by order: String, size: String, rows: String, bytes: String
    ) -> String {
        """
        SELECT * FROM (SELECT *, \(size) AS size, sum(\(size)) OVER (ORDER BY \(order)) AS total
            FROM (\(sql) ORDER BY \(order) LIMIT \(rows)) AS page) AS sized
        WHERE total <= \(bytes) OR total = size ORDER BY \(order)
        """
    }

    /// Calls `body` with some rows of links at a time, with the columns left key, property, right
    /// key and tags, in the order of the keys.
    func forEachLinkPage(_ body: (PostgreSQLRows) throws -> Void) throws {
        let order = "left_key, property, right_key"
        let sql = Self.page(
            of: """
                SELECT \(order), tags FROM anabranch.link
                WHERE zone = $1 AND (left_key, property, right_key) > ($2, $3, $4)
                """, by: order, size: "octet_length(tags)", rows: "$5", bytes: "$6")
        var last = LinkKey(left: RecordKey(rawValue: 0), property: 0, right: RecordKey(rawValue: 0))
        while true {
            let rows = try query(
                sql, .integer(last.left.rawValue), .integer(last.property),
                .integer(last.right.rawValue), .integer(Self.rowsTogether),
                .integer(Self.bytesTogether))
            guard let end = rows.last?.linkKey() else { return }
            last = end
            try body(rows)
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
