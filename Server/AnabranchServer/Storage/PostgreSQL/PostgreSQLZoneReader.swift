import AnabranchReplication

/// Reads a zone's rows in a database, within the caller's transaction.
class PostgreSQLZoneReader: ZoneReading {
    let session: PostgreSQLSession
    let zone: String
    let names: ZoneNameCache
    /// Many names are read in one round trip.
    let namesTogether: Int64 = 256
    /// The zone's row as this transaction sees it.
    var row: ZoneRow

    init(_ session: PostgreSQLSession, zone: String, row: ZoneRow, names: ZoneNameCache) {
        self.session = session
        self.zone = zone
        self.row = row
        self.names = names
    }

    /// Runs a statement about the zone; `$1` is the zone's name.
    func query(_ sql: String, _ parameters: PostgreSQLValue...) throws -> PostgreSQLRows {
        try session.run(PostgreSQLStatement(sql, [.text(zone)] + parameters))
    }

    func zoneRow() throws -> ZoneRow { row }

    func linkCount() throws -> Int64 {
        try query("SELECT count(*) FROM anabranch.link WHERE zone = $1").first?.int64(at: 0) ?? 0
    }

    func counts() throws -> ZoneCounts {
        let counts = try query(
            """
            SELECT (SELECT count(*) FROM anabranch.record WHERE zone = $1 AND dead = 0),
                (SELECT count(*) FROM anabranch.replica WHERE zone = $1),
                (SELECT coalesce(sum(octet_length(change_set)), 0)::bigint
                    FROM anabranch.log WHERE zone = $1)
                + (SELECT coalesce(sum(octet_length(cells) + coalesce(octet_length(seen), 0)), 0)
                    ::bigint FROM anabranch.record WHERE zone = $1)
                + (SELECT coalesce(sum(octet_length(name)), 0)::bigint
                    FROM anabranch.entity WHERE zone = $1)
                + (SELECT coalesce(sum(octet_length(name)), 0)::bigint
                    FROM anabranch.property WHERE zone = $1)
                + (SELECT coalesce(sum(octet_length(tags)), 0)::bigint
                    FROM anabranch.link WHERE zone = $1)
                + (SELECT coalesce(sum(octet_length(bytes)), 0)::bigint
                    FROM anabranch.part WHERE zone = $1)
            """
        ).first
        guard let counts else { throw damaged("its rows can't be counted") }
        return ZoneCounts(
            records: counts.int64(at: 0), replicas: counts.int64(at: 1),
            bytes: counts.int64(at: 2))
    }

    func acknowledgements() throws -> [ReplicaID: Acknowledgement] {
        let rows = try query(
            "SELECT replica, position, seen FROM anabranch.acknowledgement WHERE zone = $1")
        return try rows.reduce(into: [:]) { acknowledgements, row in
            acknowledgements[try row.replica(at: 0)] = try row.acknowledgement(at: 1)
        }
    }

    func damaged(_ cause: String) -> StorageError {
        StorageError(.damaged, "Can't read zone \(zone) because \(cause).")
    }

    // MARK: The log

    func cursor(at position: UInt64) throws -> LogCursor? {
        guard position != row.position else { return row.head }
        guard position > 0 else { return LogCursor(startOf: row.epochs.present) }
        guard position < row.position else { return nil }
        let entry = try query(
            "SELECT running FROM anabranch.log WHERE zone = $1 AND position = $2",
            .integer(Int64(clamping: position))
        ).first
        guard let entry else { throw damaged("entry \(position) of its log is missing") }
        return LogCursor(
            epoch: row.epochs.present, position: position, running: try entry.replica(at: 0))
    }

    /// The greatest number of entries that one statement reads, and the bytes of a small one.
    private static let entriesTogether = 4096
    private static let smallEntry = 64

    func changeSets(after position: UInt64, byteLimit: Int) throws -> LogPage {
        var page = LogPage(changeSets: [], cursor: nil)
        var last = position
        var bytesLeft = byteLimit
        while last < row.position, page.changeSets.isEmpty || bytesLeft > 0 {
            // One entry alone is often asked for, and must not cost as much as a page.
            let count = min(max(bytesLeft, 0) / Self.smallEntry + 1, Self.entriesTogether)
            // The sizes are those of the compressed values' headers, so no value is read for them.
            let rows = try query(
                """
                SELECT position, running, change_set FROM (
                    SELECT position, running, change_set,
                        sum(octet_length(change_set)) OVER (ORDER BY position) AS total
                    FROM (SELECT position, running, change_set FROM anabranch.log
                        WHERE zone = $1 AND position > $2 ORDER BY position LIMIT $4) AS page
                ) AS sized
                WHERE total <= $3 OR position = $2 + $5 ORDER BY position
                """, .integer(Int64(clamping: last)), .integer(Int64(bytesLeft)),
                .integer(Int64(count)), .integer(page.changeSets.isEmpty ? 1 : 0))
            for entry in rows {
                let position = try entry.unsigned(at: 0)
                guard position > last else { throw damaged("its log is not in order") }
                last = position
                page.cursor = try entry.cursor(epoch: row.epochs.present)
                page.changeSets.append(entry.bytes(at: 2))
                bytesLeft -= page.changeSets[page.changeSets.count - 1].count
            }
            guard rows.count == count else { break }
        }
        return page
    }

    func byteCount(ofChangeSetAt position: UInt64) throws -> Int {
        let row = try query(
            """
            SELECT octet_length(change_set)::bigint FROM anabranch.log
            WHERE zone = $1 AND position = $2
            """, .integer(Int64(clamping: position))
        ).first
        return Int(row?.int64(at: 0) ?? 0)
    }

    func logByteCount() throws -> Int64 {
        let row = try query(
            """
            SELECT (SELECT coalesce(sum(octet_length(change_set)), 0)::bigint
                FROM anabranch.log WHERE zone = $1)
                + (SELECT coalesce(sum(size), 0)::bigint FROM (SELECT DISTINCT digest, size
                    FROM anabranch.log_part WHERE zone = $1) AS part)
            """
        ).first
        return try row?.amount(at: 0) ?? 0
    }

    static let placeColumns =
        "l.position, l.replica, l.sequence, l.timestamp, l.origin, l.digest, l.kind"

    /// Reads the columns of `placeColumns`.
    func place(_ row: PostgreSQLRows.Row) throws -> ZoneLogLocation {
        try row.place(replica: replica(at:))
    }

    func place(ofOrigin origin: Digest) throws -> ZoneLogLocation? {
        try query(
            "SELECT \(Self.placeColumns) FROM anabranch.log l WHERE zone = $1 AND origin = $2",
            .bytes(origin.bytes)
        ).first.map(place)
    }

    func place(of dot: Dot) throws -> ZoneLogLocation? {
        guard let ordinal = try knownOrdinal(of: dot.replica) else { return nil }
        return try query(
            """
            SELECT \(Self.placeColumns) FROM anabranch.log l
            WHERE zone = $1 AND replica = $2 AND sequence = $3
            """, .integer(ordinal), .integer(Int64(clamping: dot.sequence))
        ).first.map(place)
    }

    func replicaRow(of replica: ReplicaID) throws -> ReplicaRow? {
        try query(
            """
            SELECT ordinal, id, sequence, origin FROM anabranch.replica
            WHERE zone = $1 AND id = $2
            """, .bytes(replica.bytes)
        ).first.map { try $0.replicaRow() }
    }

    /// The number of rows that one statement reads, and the bytes of values that may be large.
    private static let rowsTogether: Int64 = 1000
    private static let bytesTogether: Int64 = 1 << 20

    func forEachRow(
        of table: ZoneTable, in keys: ClosedRange<Int64>,
        _ body: (any StoredColumns) throws -> Void
    ) throws {
        let statements = PostgreSQLRowStatements.of(table)
        var last: [Int64]?
        while true {
            let start = last ?? [keys.lowerBound] + table.columns.dropFirst().map { _ in .min }
            let numbers = start.prefix(table.keyCount) + [keys.upperBound]
            let rows = try session.run(
                PostgreSQLStatement(
                    last == nil ? statements.firstPage : statements.nextPage,
                    [.text(zone), .integer(Self.rowsTogether), .integer(Self.bytesTogether)]
                        + numbers.map { .integer($0) }))
            guard rows.count > 0 else { return }
            for row in rows {
                let key = (0..<table.keyCount).map { row.int64(at: $0) }
                guard last.map({ $0.lexicographicallyPrecedes(key) }) ?? true else {
                    throw damaged("its rows are not in order")
                }
                last = key
                try body(row)
            }
        }
    }

    func forEachLink(to right: RecordKey, _ body: (any StoredColumns) throws -> Void) throws {
        try query(
            """
            SELECT left_key, property, right_key, tags FROM anabranch.link
            WHERE zone = $1 AND right_key = $2 ORDER BY left_key, property
            """, .integer(right.rawValue)
        ).forEach(body)
    }
}
