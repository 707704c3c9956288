import AnabranchReplication

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
        self.init(history: row.string(at: 0), epochs: try Self.epochs(row.bytes(at: 1)))
        position = try row.unsigned(at: 2)
        running = try row.replica(at: 3)
        greatestTimestamp = try row.unsigned(at: 4)
        startPosition = try row.unsigned(at: 5)
        guard let checksum = row.withBytes(at: 6, { StateChecksum(bytes: $0) }) else {
            throw StorageError(.damaged, "Can't read a zone because its checksum is damaged.")
        }
        self.checksum = checksum
        next.replica = try row.number(at: 7)
        next.entity = try row.number(at: 8)
        next.property = try row.number(at: 9)
        bytes = try row.amount(at: 10)
        records = try row.amount(at: 11)
        day = try row.amount(at: 12)
        dayBytes = try row.amount(at: 13)
        quotas = row.quotas(from: 14)
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
            .integer(next.replica), .integer(next.entity), .integer(next.property), .integer(bytes),
            .integer(records), .integer(day), .integer(dayBytes),
        ]
            + quotas.stored.map { $0.map { .integer($0) } ?? .null }
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
