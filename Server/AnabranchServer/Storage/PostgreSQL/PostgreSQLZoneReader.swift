import AnabranchReplication

/// Reads a zone's rows in a database, within the caller's transaction.
class PostgreSQLZoneReader: ZoneReading {
    let session: PostgreSQLSession
    let zone: String
    let names: ZoneNameCache
    /// The zone's row as this transaction sees it.
    var row: ZoneRow

    init(_ session: PostgreSQLSession, zone: String, row: ZoneRow, names: ZoneNameCache) {
        self.session = session
        self.zone = zone
        self.row = row
        self.names = names
    }

    /// Runs a statement about the zone; `$1` is the zone's name.
    ///
    /// A writer first sends what it has not sent yet, so the statement sees it.
    func query(_ sql: String, _ parameters: PostgreSQLValue...) throws -> PostgreSQLRows {
        try lookUp(sql, parameters)
    }

    /// Runs a statement that need not see unsent changes.
    final func lookUp(
        _ sql: String, _ parameters: [PostgreSQLValue]
    ) throws -> PostgreSQLRows {
        try session.run(PostgreSQLStatement(sql, [.text(zone)] + parameters))
    }

    func logState() throws -> LogState { row.logState }

    func checksum() throws -> StateChecksum { row.checksum }

    func quotas() throws -> ZoneQuotas { row.quotas }

    func use() throws -> ZoneUse { row.use }

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
        try lookUp(
            "SELECT \(Self.placeColumns) FROM anabranch.log l WHERE zone = $1 AND origin = $2",
            [.bytes(origin.bytes)]
        ).first.map(place)
    }

    func place(of dot: Dot) throws -> ZoneLogLocation? {
        guard let ordinal = try knownOrdinal(of: dot.replica) else { return nil }
        return try lookUp(
            """
            SELECT \(Self.placeColumns) FROM anabranch.log l
            WHERE zone = $1 AND replica = $2 AND sequence = $3
            """, [.integer(ordinal), .integer(Int64(clamping: dot.sequence))]
        ).first.map(place)
    }

    func head(of replica: ReplicaID) throws -> ReplicaHead? {
        try lookUp(
            """
            SELECT sequence, origin FROM anabranch.replica
            WHERE zone = $1 AND id = $2 AND sequence > 0
            """, [.bytes(replica.bytes)]
        ).first?.head(at: 0)
    }

    // MARK: Numbers and names

    /// The ordinal of a replica; `nil` if the zone does not know the replica.
    func knownOrdinal(of replica: ReplicaID) throws -> Int64? {
        if let ordinal = names.ordinals[replica] { return ordinal }
        let row = try query(
            "SELECT ordinal FROM anabranch.replica WHERE zone = $1 AND id = $2",
            .bytes(replica.bytes)
        ).first
        guard let row else { return nil }
        let ordinal = try row.ordinal(at: 0)
        names.insert(replica, ordinal: ordinal)
        return ordinal
    }

    /// Numbers are looked up in blocks of this size, because their neighbours are asked for next.
    private static let block: Int64 = 256

    private func blockOfNames(_ sql: String, around number: Int64) throws -> PostgreSQLRows {
        let start = number - number % Self.block
        let (end, isBeyond) = start.addingReportingOverflow(Self.block - 1)
        return try query(sql, .integer(start), .integer(isBeyond ? .max : end))
    }

    func replica(at ordinal: Int64) throws -> ReplicaID {
        if let replica = names.replicas[ordinal] { return replica }
        let rows = try blockOfNames(
            """
            SELECT ordinal, id FROM anabranch.replica
            WHERE zone = $1 AND ordinal BETWEEN $2 AND $3
            """, around: ordinal)
        // The cache may be emptied meanwhile.
        var found: ReplicaID?
        for row in rows {
            let (replica, number) = (try row.replica(at: 1), try row.ordinal(at: 0))
            names.insert(replica, ordinal: number)
            if number == ordinal { found = replica }
        }
        guard let found else { throw damaged("replica \(ordinal) is missing") }
        return found
    }

    func entityName(_ number: Int64) throws -> WireName {
        if let name = names.entityNames[number] { return name }
        let rows = try blockOfNames(
            """
            SELECT number, name FROM anabranch.entity
            WHERE zone = $1 AND number BETWEEN $2 AND $3
            """, around: number)
        var found: WireName?
        for row in rows {
            let (name, place) = (WireName(row.string(at: 1)), try row.number(at: 0))
            names.insert(name, entity: place)
            if place == number { found = name }
        }
        guard let found else { throw damaged("entity \(number) is missing") }
        return found
    }

    func property(at number: Int64) throws -> WireProperty {
        if let property = names.properties[number] { return property }
        let rows = try blockOfNames(
            """
            SELECT number, name, type, rule FROM anabranch.property
            WHERE zone = $1 AND number BETWEEN $2 AND $3
            """, around: number)
        var found: WireProperty?
        for row in rows {
            let place = try row.number(at: 0)
            let property = row.property(named: WireName(row.string(at: 1)), at: 2)
            names.insert(property, number: place)
            if place == number { found = property }
        }
        guard let found else { throw damaged("property \(number) is missing") }
        return found
    }

    func id(of key: RecordKey) throws -> RecordID {
        RecordID(replica: try replica(at: key.ordinal), number: key.number)
    }
}
