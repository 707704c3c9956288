import AnabranchReplication

/// The row of a zone in the table of zones: the state of its log, its checksum, its next numbers.
struct ZoneRow: Hashable, Sendable {
    /// The identity of the database's history at the last write.
    var history: String
    var epochs: EpochHistory
    /// The position of the log's last entry, and the running digest there.
    var position: UInt64
    var running: ReplicaID
    var greatestTimestamp: UInt64
    var startPosition: UInt64
    var checksum: StateChecksum
    /// The next ordinal of a replica, and the next numbers of an entity and of a property.
    var replicas: Int64
    var entities: Int64
    var properties: Int64
    /// The used bytes and records (`ZoneQuotas`).
    var bytes: Int64 = 0
    var records: Int64 = 0
    /// The last day of a push, in days since 1970-01-01 UTC, and the bytes that were pushed on it.
    var day: Int64 = 0
    var dayBytes: Int64 = 0
    var quotas = ZoneQuotas()

    /// The row of a new zone.
    init(epoch: EpochID, history: String) {
        guard let epochs = EpochHistory([.init(id: epoch, forkPosition: 0)]) else {
            preconditionFailure("there is an epoch")
        }
        self.history = history
        self.epochs = epochs
        position = 0
        running = ReplicaID(high: 0, low: 0)
        greatestTimestamp = 0
        startPosition = 0
        checksum = .zero
        replicas = 0
        entities = 0
        properties = 0
    }

    var use: ZoneUse {
        ZoneUse(bytes: bytes, records: records, replicas: replicas, day: day, dayBytes: dayBytes)
    }

    mutating func count(bytes: Int64, records: Int64 = 0) {
        self.bytes += bytes
        self.records += records
    }

    var head: LogCursor {
        LogCursor(epoch: epochs.present, position: position, running: running)
    }

    var logState: LogState {
        LogState(
            head: head, history: epochs,
            greatestTimestamp: HybridTimestamp(rawValue: greatestTimestamp),
            startPosition: startPosition)
    }

    /// Forgets everything but the epochs, the quotas and the bytes of the day.
    mutating func clear() {
        let kept = self
        self = ZoneRow(epoch: epochs.present, history: history)
        epochs = kept.epochs
        day = kept.day
        dayBytes = kept.dayBytes
        quotas = kept.quotas
    }

    /// Begins an epoch at the log's end, because the database has another history than before.
    mutating func begin(_ epoch: EpochID, in history: String) {
        let begun = EpochHistory.Epoch(id: epoch, forkPosition: position)
        epochs = EpochHistory(epochs.epochs + [begun]) ?? epochs
        self.history = history
    }
}

// The statements of the row.
extension ZoneRow {
    private static let columns = """
        history, epochs, position, running, greatest, start, checksum, replicas, entities, \
        properties, bytes, records, day, day_bytes, quota_bytes, quota_records, quota_replicas, \
        quota_daily_bytes
        """
    /// The parameters of the columns, after that of the zone.
    private static let places = (2...19).map { "$\($0)" }.joined(separator: ", ")

    static func reading(_ zone: String) -> PostgreSQLStatement {
        PostgreSQLStatement(
            "SELECT \(columns) FROM anabranch.zone WHERE zone = $1", .text(zone))
    }

    /// Locks the row, and with it the zone, until the transaction ends.
    static func locking(_ zone: String) -> PostgreSQLStatement {
        PostgreSQLStatement(
            "SELECT \(columns) FROM anabranch.zone WHERE zone = $1 FOR UPDATE", .text(zone))
    }

    /// Reads the columns in the order of the statements.
    init(_ row: PostgreSQLRows.Row) throws {
        history = row.string(at: 0)
        epochs = try Self.epochs(row.bytes(at: 1))
        position = try row.unsigned(at: 2)
        running = try row.replica(at: 3)
        greatestTimestamp = try row.unsigned(at: 4)
        startPosition = try row.unsigned(at: 5)
        guard let checksum = row.withBytes(at: 6, { StateChecksum(bytes: $0) }) else {
            throw StorageError(.damaged, "Can't read a zone because its checksum is damaged.")
        }
        self.checksum = checksum
        replicas = try row.number(at: 7)
        entities = try row.number(at: 8)
        properties = try row.number(at: 9)
        bytes = try row.amount(at: 10)
        records = try row.amount(at: 11)
        day = try row.amount(at: 12)
        dayBytes = try row.amount(at: 13)
        for (index, quantity) in ZoneQuotas.Quantity.allCases.enumerated() {
            let column = 14 + index
            quotas[quantity] = ZoneQuotas.Limit(
                stored: row.isNull(at: column) ? nil : row.int64(at: column))
        }
    }

    /// Inserts the row unless there is one.
    func inserting(_ zone: String) -> PostgreSQLStatement {
        PostgreSQLStatement(
            """
            INSERT INTO anabranch.zone(zone, \(Self.columns))
            VALUES ($1, \(Self.places)) ON CONFLICT DO NOTHING
            """, parameters(zone))
    }

    func updating(_ zone: String) -> PostgreSQLStatement {
        PostgreSQLStatement(
            """
            UPDATE anabranch.zone SET (\(Self.columns)) = (\(Self.places))
            WHERE zone = $1
            """, parameters(zone), changing: 1)
    }

    private func parameters(_ zone: String) -> [PostgreSQLValue] {
        [
            .text(zone), .text(history), .bytes(epochBytes), .integer(Int64(clamping: position)),
            .bytes(running.bytes), .integer(Int64(clamping: greatestTimestamp)),
            .integer(Int64(clamping: startPosition)), .bytes(checksum.bytes),
            .integer(replicas), .integer(entities), .integer(properties), .integer(bytes),
            .integer(records), .integer(day), .integer(dayBytes),
        ]
            + ZoneQuotas.Quantity.allCases.map {
                quotas[$0].stored.map { .integer($0) } ?? .null
            }
    }

    private var epochBytes: [UInt8] {
        var writer = ByteWriter()
        for epoch in epochs.epochs {
            writer.append(replica: epoch.id)
            writer.append(fixed64: epoch.forkPosition)
        }
        return writer.bytes
    }

    private static func epochs(_ bytes: [UInt8]) throws -> EpochHistory {
        var reader = ByteReader(bytes)
        var epochs: [EpochHistory.Epoch] = []
        while !reader.isAtEnd, let id = try? reader.readReplica(),
            let position = try? reader.readFixed64()
        {
            epochs.append(.init(id: id, forkPosition: position))
        }
        guard reader.isAtEnd, let history = EpochHistory(epochs) else {
            throw StorageError(.damaged, "Can't read a zone because it has no epoch.")
        }
        return history
    }
}
