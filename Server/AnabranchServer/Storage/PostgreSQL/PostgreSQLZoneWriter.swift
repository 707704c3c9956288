import AnabranchReplication

/// Reads and writes a zone's rows in a database, within the zone's one write transaction.
final class PostgreSQLZoneWriter: PostgreSQLZoneReader, ZoneWriting {
    /// The zone's row in the database.
    private let sentRow: ZoneRow
    /// Statements that are sent before the next change.
    private var waiting: [PostgreSQLStatement] = []

    /// Creates the writer of a zone after its row was locked.
    override init(_ session: PostgreSQLSession, zone: String, row: ZoneRow, names: ZoneNameCache) {
        sentRow = row
        super.init(session, zone: zone, row: row, names: names)
    }

    /// Runs statements that change rows, in one round trip.
    func run(_ statements: [PostgreSQLStatement]) throws -> [PostgreSQLRows] {
        let before = waiting
        waiting = []
        return Array(try session.run(before + statements).dropFirst(before.count))
    }

    func write(_ changes: ZoneChanges) throws {
        guard !changes.isEmpty else { return }
        _ = try run(changes.statements(for: zone))
    }

    func replace(_ row: ZoneRow) { self.row = row }

    /// The statements that are sent together with the commit.
    func lastStatements(_ changes: ZoneChanges) -> [PostgreSQLStatement] {
        waiting + changes.statements(for: zone) + (row == sentRow ? [] : [row.updating(zone)])
    }

    func removeAll() throws {
        _ = try run(
            [
                "log", "record", "link", "replica", "entity", "property", "acknowledgement",
                "part", "log_part", "stage",
            ].map {
                PostgreSQLStatement("DELETE FROM anabranch.\($0) WHERE zone = $1", .text(zone))
            })
    }

    // MARK: Parts of a transaction

    func beginPart() { waiting.append(PostgreSQLStatement("SAVEPOINT part")) }

    func endPart() { waiting.append(PostgreSQLStatement("RELEASE SAVEPOINT part")) }

    func undoPart(after error: any Error) throws {
        // Such an error ends the whole transaction. The savepoint may not exist, because the group
        // of statements that creates it may be the one that was refused.
        guard !(error is PostgreSQLError) else { return }
        _ = try run([
            PostgreSQLStatement("ROLLBACK TO SAVEPOINT part"),
            PostgreSQLStatement("RELEASE SAVEPOINT part"),
        ])
    }

    // MARK: Names

    func number(heldForEntity name: WireName) throws -> Int64? {
        try query(
            "SELECT number FROM anabranch.entity WHERE zone = $1 AND name = $2",
            .bytes(Array(name.string.utf8))
        ).first?.number(at: 0)
    }

    func number(heldForProperty property: WireProperty) throws -> Int64? {
        try query(
            """
            SELECT number FROM anabranch.property
            WHERE zone = $1 AND name = $2 AND type = $3 AND rule = $4
            """, .bytes(Array(property.name.string.utf8)),
            .integer(Int64(property.type.rawValue)), .integer(Int64(property.rule.rawValue))
        ).first?.number(at: 0)
    }

    // MARK: Records and links

    func records(for keys: [RecordKey], valueBytes: Int) throws -> [RecordKey: HeldRecord] {
        try query(
            Self.sizedRows(
                "FROM anabranch.record WHERE zone = $1 AND key = ANY($2)", within: "$3"),
            .integers(keys.map(\.rawValue)), .integer(Int64(valueBytes))
        ).heldRecords()
    }

    func values(of keys: [RecordKey]) throws -> [StateRow] {
        try query(
            "SELECT \(Self.rowColumns) FROM anabranch.record WHERE zone = $1 AND key = ANY($2)",
            .integers(keys.map(\.rawValue))
        ).map { try $0.stateRow() }
    }

    func tags(of links: [LinkKey], byteLimit: Int) throws -> [LinkKey: [UInt8]?] {
        let rows = try query(
            """
            SELECT left_key, property, right_key,
                CASE WHEN total <= $6 OR total = size THEN tags END
            FROM (SELECT l.left_key, l.property, l.right_key, tags,
                octet_length(tags) AS size,
                sum(octet_length(tags)) OVER (ORDER BY place) AS total
                FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
                    AS k(left_key, property, right_key, place)
                JOIN anabranch.link AS l
                    ON l.left_key = k.left_key AND l.property = k.property
                    AND l.right_key = k.right_key
                WHERE l.zone = $1) AS sized
            """, .integers(links.map(\.left.rawValue)), .integers(links.map(\.property)),
            .integers(links.map(\.right.rawValue)), .integers(links.indices.map { Int64($0) }),
            .integer(Int64(byteLimit)))
        var found = [LinkKey: [UInt8]?](uniqueKeysWithValues: links.map { ($0, nil) })
        for row in rows {
            if row.isNull(at: 3) {
                found[row.linkKey()] = nil
            } else {
                found[row.linkKey()] = .some(row.bytes(at: 3))
            }
        }
        return found
    }

    /// The greatest number of links that one statement reads, and the bytes of their tags.
    private static let linksTogether = 10_000
    private static let tagBytesTogether = 4 << 20

    func forEachLinks(
        at keys: [RecordKey], _ body: ([(link: LinkKey, tags: [UInt8])]) throws -> Void
    ) throws {
        let ends = PostgreSQLValue.integers(keys.map(\.rawValue))
        let columns = "left_key, property, right_key, tags"
        let links = """
            SELECT \(columns) FROM anabranch.link WHERE zone = $1 AND left_key = ANY($2)
            UNION ALL
            SELECT \(columns) FROM anabranch.link
            WHERE zone = $1 AND right_key = ANY($2) AND NOT left_key = ANY($2)
            """
        let rows = try query(
            """
            SELECT left_key, property, right_key, CASE WHEN total <= $4 THEN tags END
            FROM (SELECT \(columns), sum(octet_length(tags))
                OVER (ORDER BY left_key, property, right_key) AS total
                FROM (\(links) LIMIT $3) AS page) AS sized
            """, ends, .integer(Int64(Self.linksTogether)),
            .integer(Int64(Self.tagBytesTogether)))
        guard rows.count == Self.linksTogether || rows.contains(where: { $0.isNull(at: 3) }) else {
            return try body(rows.map { ($0.linkKey(), $0.bytes(at: 3)) })
        }
        // A cursor sees the links as they were when it was opened, and finds each once.
        _ = try query("DECLARE removed_links CURSOR FOR \(links)", ends)
        do {
            while true {
                let rows = try session.run(PostgreSQLStatement("FETCH 100 FROM removed_links"))
                guard rows.count > 0 else { break }
                try body(rows.map { ($0.linkKey(), $0.bytes(at: 3)) })
            }
        } catch let error where !(error is PostgreSQLError) {
            try closeCursor()
            throw error
        }
        try closeCursor()
    }

    private func closeCursor() throws {
        _ = try session.run(PostgreSQLStatement("CLOSE removed_links"))
    }
}
