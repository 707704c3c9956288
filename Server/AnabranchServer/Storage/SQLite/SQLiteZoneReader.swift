package import AnabranchReplication
import AnabranchSQLite

/// Reads a zone's file through one connection, within the caller's transaction.
package class SQLiteZoneReader: ZoneReading {
    let connection: Connection
    let names: ZoneNameCache

    init(_ connection: Connection, names: ZoneNameCache = ZoneNameCache()) {
        self.connection = connection
        self.names = names
    }

    package func logState() throws -> LogState {
        let epochs = try connection.cached("SELECT id, fork FROM epoch ORDER BY ordinal")
        let history = try epochs.map {
            EpochHistory.Epoch(id: try $0.replica(at: 0), forkPosition: try $0.unsigned(at: 1))
        }
        guard let history = EpochHistory(history) else { throw damaged("it has no epoch") }
        let zone = try connection.cached("SELECT greatest, start FROM zone")
        guard try zone.step() else { throw damaged("its zone row is missing") }
        return LogState(
            head: try head(in: history.present), history: history,
            greatestTimestamp: HybridTimestamp(rawValue: try zone.unsigned(at: 0)),
            startPosition: try zone.unsigned(at: 1))
    }

    private func head(in epoch: EpochID) throws -> LogCursor {
        try connection.cached(
            "SELECT position, running FROM log ORDER BY position DESC LIMIT 1"
        ).first { try $0.cursor(epoch: epoch) } ?? LogCursor(startOf: epoch)
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

    package func head(of replica: ReplicaID) throws -> ReplicaHead? {
        try connection.cached(
            "SELECT sequence, origin FROM replica WHERE id = ? AND sequence > 0", replica.bytes
        ).first { try $0.head(at: 0) }
    }

    package func use() throws -> ZoneUse {
        let row = try connection.cached(
            """
            SELECT bytes, records, (SELECT coalesce(max(ordinal) + 1, 0) FROM replica), day,
                day_bytes FROM zone
            """)
        guard try row.step() else { throw damaged("its zone row is missing") }
        return ZoneUse(
            bytes: try row.amount(at: 0), records: try row.amount(at: 1),
            replicas: try row.amount(at: 2), day: try row.amount(at: 3),
            dayBytes: try row.amount(at: 4))
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

    package func checksum() throws -> StateChecksum {
        let zone = try connection.cached("SELECT checksum FROM zone")
        guard try zone.step() else { throw damaged("its zone row is missing") }
        guard let checksum = StateChecksum(bytes: zone.bytes(at: 0)) else {
            throw damaged("its checksum can't be read")
        }
        return checksum
    }

    func damaged(_ cause: String) -> StorageError {
        StorageError(.damaged, "Can't read \(connection.path) because \(cause).")
    }

    // MARK: Numbers and names

    /// The ordinal of a replica; `nil` if the zone does not know the replica.
    func knownOrdinal(of replica: ReplicaID) throws -> Int64? {
        if let ordinal = names.ordinals[replica] { return ordinal }
        let row = try connection.cached("SELECT ordinal FROM replica WHERE id = ?", replica.bytes)
        guard try row.step() else { return nil }
        let ordinal = try row.ordinal(at: 0)
        names.insert(replica, ordinal: ordinal)
        return ordinal
    }

    package func replica(at ordinal: Int64) throws -> ReplicaID {
        if let replica = names.replicas[ordinal] { return replica }
        let row = try connection.cached("SELECT id FROM replica WHERE ordinal = ?", ordinal)
        guard try row.step() else { throw damaged("replica \(ordinal) is missing") }
        let replica = try row.replica(at: 0)
        names.insert(replica, ordinal: ordinal)
        return replica
    }
}
