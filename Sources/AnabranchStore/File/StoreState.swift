import AnabranchReplication
import AnabranchSQLite

/// The state of a file: the one row of `ab_state`, and the log's last entry if it came after that
/// row was written.
///
/// A save changes the clock and the head of its replica, and its entry in the log says both. So a
/// save does not write the row, and every other transaction does.
struct StoreState: Equatable {
    var format: Int64
    /// The hash of the model's canonical encoding.
    var model: [UInt8]
    /// The identity of the file that wrote last; empty if it is unknown.
    var file: [UInt8]
    /// The ordinal of the replica under which the file saves.
    var ordinal: Int64
    /// True if the next reservation or save takes a new replica ID.
    var isRenewing: Bool
    var clock: HybridClock
    /// The milliseconds to add to the device's clock to get the server's.
    var clockOffset: Int64 = 0
    /// The next record number to reserve.
    var nextNumber: UInt64
    var cursor: LogCursor? { didSet { adjustStart() } }
    /// The beginning of this file's part of the zone's log, after the snapshot that it took. Its
    /// epoch is that of the cursor.
    var start: LogCursor? { didSet { adjustStart() } }
    /// True if the records may hold something that the zone's log no longer does, so that a
    /// snapshot must replace them.
    var wantsSnapshot = false
    var head: Head
    /// The last position of the log that was given to an entry, or is not given any more.
    var lastPosition: Int64 = 0
    /// A position of the log up to which the zone holds all entries.
    var placed: Int64 = 0

    /// The head of the replica under which the file saves: the number and the origin of the last
    /// change set that is held of it.
    struct Head: Equatable {
        var ordinal: Int64
        var sequence: UInt64 = 0
        var origin = Digest.zero
    }

    private mutating func adjustStart() {
        guard let cursor, let start, start.epoch != cursor.epoch else { return }
        self.start = LogCursor(
            epoch: cursor.epoch, position: start.position, digestHigh: start.digestHigh,
            digestLow: start.digestLow)
    }

    /// Reads the file's format number, which every format keeps in the same place.
    ///
    /// - Returns: `nil` if the number is missing.
    static func format(_ connection: Connection) throws -> Int64? {
        guard
            case .integer(let format)? = try connection.firstValue(
                "SELECT format FROM ab_state WHERE id = 1")
        else { return nil }
        return format
    }

    /// Reads the hash of the file's model only, which files of earlier builds have too.
    static func model(_ connection: Connection) throws -> [UInt8] {
        let hash = try connection.firstValue("SELECT model FROM ab_state WHERE id = 1")
        guard case .blob(let hash)? = hash else { throw missing }
        return hash
    }

    private static let missing = StoreError(
        .corrupt, "Can't use the store because its state is missing.")

    /// The last position of the log, as an expression over `ab_state`.
    static let lastPositionSQL =
        "max(reserved, coalesce((SELECT max(position) FROM ab_changeset), 0))"

    private static let readSQL = """
        SELECT s.format, s.model, s.file, s.ordinal, s.renew,
        max(s.clock, coalesce(l.hlc, 0)) AS clock, s.next_number, s.epoch, s.position, s.running,
        s.clock_offset, s.start, s.start_running, s.wants_snapshot, s.head_of,
        coalesce(l.seq, s.head_seen) AS head_seen, coalesce(l.origin, s.head_origin) AS head_origin,
        \(lastPositionSQL) AS reserved, s.placed
        FROM ab_state s LEFT JOIN ab_changeset l ON l.position = \(CoreTables.laterSave)
        WHERE s.id = 1
        """

    static func read(_ connection: Connection) throws -> StoreState {
        let statement = try connection.cached(readSQL)
        guard try statement.step() else { throw missing }
        var state = StoreState(
            format: statement.int64(at: 0), model: statement.bytes(at: 1),
            file: statement.bytes(at: 2), ordinal: try statement.ordinal(at: 3),
            isRenewing: statement.int64(at: 4) != 0,
            clock: HybridClock(
                latest: HybridTimestamp(rawValue: UInt64(bitPattern: statement.int64(at: 5)))),
            clockOffset: statement.int64(at: 10),
            nextNumber: try nextNumber(statement, at: 6),
            cursor: cursor(
                epoch: statement.bytes(at: 7), position: try statement.zonePosition(at: 8),
                running: statement.bytes(at: 9)),
            start: cursor(
                epoch: statement.bytes(at: 7), position: try statement.zonePosition(at: 11),
                running: statement.bytes(at: 12)),
            wantsSnapshot: statement.int64(at: 13) != 0,
            head: Head(
                ordinal: try statement.ordinal(at: 14),
                sequence: try statement.sequence(at: 15),
                origin: Digest(bytes: statement.bytes(at: 16)) ?? .zero))
        state.lastPosition = try statement.amount(at: 17)
        state.placed = try statement.amount(at: 18)
        return state
    }

    private static func nextNumber(_ statement: Statement, at column: Int) throws -> UInt64 {
        let next = UInt64(try statement.amount(at: column))
        guard (1...Limits.greatestRecordNumber + 1).contains(next) else {
            throw StoreError(
                .corrupt,
                "Can't use the store because its next record number is \(next). Restore a backup.")
        }
        return next
    }

    static func cursor(epoch: [UInt8], position: UInt64, running: [UInt8]) -> LogCursor? {
        guard let epoch = EpochID(bytes: epoch), let running = ReplicaID(bytes: running) else {
            return nil
        }
        return LogCursor(epoch: epoch, position: position, running: running)
    }

    /// Writes the row, which then says all that the log says too.
    func write(_ connection: Connection) throws {
        let running = cursor?.running.bytes
        try connection.run(
            """
            UPDATE ab_state SET format = ?, model = ?, file = ?, ordinal = ?, renew = ?, clock = ?,
            next_number = ?, epoch = ?, position = ?, running = ?, clock_offset = ?,
            start = ?, start_running = ?, wants_snapshot = ?, head_of = ?, head_seen = ?,
            head_origin = ?, reserved = max(reserved, ?), placed = ?
            WHERE id = 1
            """,
            .integer(format), .blob(model), .blob(file), .integer(ordinal),
            .integer(isRenewing ? 1 : 0), .integer(Int64(bitPattern: clock.latest.rawValue)),
            .integer(Int64(bitPattern: nextNumber)),
            cursor.map { .blob($0.epoch.bytes) } ?? .null,
            cursor.map { .integer(Int64(bitPattern: $0.position)) } ?? .null,
            running.map { .blob($0) } ?? .null, .integer(clockOffset),
            start.map { .integer(Int64(bitPattern: $0.position)) } ?? .null,
            start.map { .blob($0.running.bytes) } ?? .null, .integer(wantsSnapshot ? 1 : 0),
            .integer(head.ordinal), .integer(Int64(bitPattern: head.sequence)),
            head.sequence == 0 ? .null : .blob(head.origin.bytes), .integer(lastPosition),
            .integer(placed))
    }
}
