package import AnabranchReplication
import AnabranchSQLite

/// Reads a zone's file through one connection, within the caller's transaction.
package class SQLiteZoneReader: ZoneReading {
    let connection: Connection
    package let names: ZoneNameCache
    /// A single name is read without a round trip.
    package var namesTogether: Int64 { 1 }

    init(_ connection: Connection, names: ZoneNameCache = ZoneNameCache()) {
        self.connection = connection
        self.names = names
    }

    package func zoneRow() throws -> ZoneRow {
        let zone = try connection.cached(
            """
            SELECT greatest, start, checksum, bytes, records, day, day_bytes,
                (SELECT max(ordinal) FROM replica), (SELECT max(number) FROM entity),
                (SELECT max(number) FROM property),
                quota_bytes, quota_records, quota_replicas, quota_daily_bytes
            FROM zone
            """)
        guard try zone.step() else { throw damaged("its zone row is missing") }
        defer { zone.reset() }
        var row = ZoneRow(epochs: try epochs())
        row.greatestTimestamp = try zone.unsigned(at: 0)
        row.startPosition = try zone.unsigned(at: 1)
        guard let checksum = zone.withBytes(at: 2, { StateChecksum(bytes: $0) }) else {
            throw damaged("its checksum can't be read")
        }
        row.checksum = checksum
        row.bytes = try zone.amount(at: 3)
        row.records = try zone.amount(at: 4)
        row.day = try zone.amount(at: 5)
        row.dayBytes = try zone.amount(at: 6)
        row.next = NextNumbers(
            replica: zone.isNull(at: 7) ? 0 : try zone.ordinal(at: 7) + 1,
            entity: zone.isNull(at: 8) ? 0 : try zone.number(at: 8) + 1,
            property: zone.isNull(at: 9) ? 0 : try zone.number(at: 9) + 1)
        row.quotas = zone.quotas(from: 10)
        let last = try connection.cached(
            "SELECT position, running FROM log ORDER BY position DESC LIMIT 1")
        guard try last.step() else { return row }
        row.position = try last.unsigned(at: 0)
        row.running = try last.replica(at: 1)
        return row
    }

    private func epochs() throws -> EpochHistory {
        let epochs = try connection.cached("SELECT id, fork FROM epoch ORDER BY ordinal")
        let history = try epochs.map {
            EpochHistory.Epoch(id: try $0.replica(at: 0), forkPosition: try $0.unsigned(at: 1))
        }
        guard let history = EpochHistory(history) else { throw damaged("it has no epoch") }
        return history
    }

    func presentEpoch() throws -> EpochID {
        let last = try connection.cached("SELECT id FROM epoch ORDER BY ordinal DESC LIMIT 1")
        guard try last.step() else { throw damaged("it has no epoch") }
        return try last.replica(at: 0)
    }

    package func cursor(at position: UInt64) throws -> LogCursor? {
        let epoch = try presentEpoch()
        guard position > 0 else { return LogCursor(startOf: epoch) }
        return try connection.cached(
            "SELECT position, running FROM log WHERE position = ?", Int64(clamping: position)
        ).first { try $0.cursor(epoch: epoch) }
    }

    package func changeSets(after position: UInt64, byteLimit: Int) throws -> LogPage {
        let entries = try connection.cached(
            "SELECT position, running, change_set FROM log WHERE position > ? ORDER BY position",
            Int64(clamping: position))
        let epoch = try presentEpoch()
        var page = LogPage(changeSets: [], cursor: nil)
        var byteCount = 0
        while try entries.step() {
            let size = entries.withBytes(at: 2) { $0.count }
            guard page.changeSets.isEmpty || byteCount + size <= byteLimit else { break }
            byteCount += size
            page.changeSets.append(entries.bytes(at: 2))
            page.cursor = try entries.cursor(epoch: epoch)
        }
        return page
    }

    package func replicaRow(of replica: ReplicaID) throws -> ReplicaRow? {
        let row = try connection.cached(
            "SELECT ordinal, id, sequence, origin FROM replica WHERE id = ?")
        try row.bind(replica.bytes, at: 1)
        return try row.step() ? try row.replicaRow() : nil
    }

    package func linkCount() throws -> Int64 {
        try connection.integer("SELECT count(*) FROM link")
    }

    package func counts() throws -> ZoneCounts {
        let sizes = [
            "log": "length(change_set)", "entity": "length(name)", "property": "length(name)",
            "record": "length(cells) + coalesce(length(seen), 0)", "link": "length(tags)",
            "part": "length(bytes)",
        ]
        return ZoneCounts(
            records: try connection.integer("SELECT count(*) FROM record")
                - connection.integer("SELECT count(*) FROM record WHERE dead"),
            replicas: try connection.integer("SELECT count(*) FROM replica"),
            bytes: try sizes.reduce(0) { bytes, table in
                try bytes
                    + connection.integer(
                        "SELECT coalesce(sum(\(table.value)), 0) FROM \(table.key)")
            })
    }

    package func acknowledgements() throws -> [ReplicaID: Acknowledgement] {
        let rows = try connection.cached("SELECT replica, position, seen FROM acknowledgement")
        var positions: [ReplicaID: Acknowledgement] = [:]
        while try rows.step() {
            positions[try rows.replica(at: 0)] = try rows.acknowledgement(at: 1)
        }
        return positions
    }

    package func damaged(_ cause: String) -> StorageError {
        StorageError(
            .damaged,
            "Can't read \(connection.path) because \(cause): "
                + "\(StorageError.causeOfDamage(of: connection.path)). Restore it from a backup.")
    }

    package func forEachRow(
        of table: ZoneTable, in keys: ClosedRange<Int64>,
        _ body: (any StoredColumns) throws -> Void
    ) throws {
        let rows = try connection.cached(SQLiteRowStatements.of(table).select)
        try rows.bind(keys.lowerBound, at: 1)
        try rows.bind(keys.upperBound, at: 2)
        while try rows.step() { try body(rows) }
    }

    package func forEachLink(
        to right: RecordKey, _ body: (any StoredColumns) throws -> Void
    ) throws {
        let rows = try connection.cached(
            """
            SELECT left, property, right, tags FROM link WHERE right = ? ORDER BY left, property
            """)
        try rows.bind(right.rawValue, at: 1)
        while try rows.step() { try body(rows) }
    }
}
