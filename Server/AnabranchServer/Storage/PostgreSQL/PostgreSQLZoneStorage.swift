package import AnabranchReplication
import Foundation

/// One zone in the tables of a PostgreSQL database.
///
/// Several daemons may write the zone. The lock of its row puts their transactions in order, and
/// nothing in a daemon's memory outlives a transaction except the numbers of names, which never
/// change within an epoch.
///
/// If the database has another history than at the zone's last write, because it was restored or a
/// standby took over, commits may be lost that clients have seen. The zone then begins an epoch at
/// its present head, before it answers anything.
package final class PostgreSQLZoneStorage: ZoneStorage {
    /// The points of a write transaction at which a test lets the process die.
    package struct Faults: Sendable {
        package var beforeCommit: (@Sendable () throws -> Void)?
        package var afterCommit: (@Sendable () throws -> Void)?
        package init() {}
    }

    package struct Options: Sendable {
        /// The greatest ordinal that a replica may have.
        package var greatestOrdinal = Int64(Limits.greatestReplicaOrdinal)
        /// Returns 16 random bytes.
        package var newEpoch: @Sendable () -> EpochID

        package init(newEpoch: @escaping @Sendable () -> EpochID) { self.newEpoch = newEpoch }
    }

    package let snapshots: any SnapshotStorage
    private let pool: PostgreSQLPool
    private let zone: String
    private let options: Options
    private let writing = NSLock()
    /// Counts the reads at once. They are at most a quarter of the connections, so that the long
    /// reads of one zone leave connections to other zones, and processors to the database.
    private let reading: DispatchSemaphore
    /// Used only while `writing` is held.
    nonisolated(unsafe) private let names = ZoneNameCache()
    /// The epoch in which the names have these numbers. In another one the database may have lost
    /// them and given the numbers to other names, also through another daemon.
    nonisolated(unsafe) private var namesEpoch: EpochID?
    nonisolated(unsafe) private var isClosed = false
    nonisolated(unsafe) private var faults = Faults()

    /// The number of times that a transaction is repeated after a conflict with another one.
    private static let maximumRepeats = 8

    /// Opens a zone.
    ///
    /// - Throws: ``StorageError`` `noSuchZone`.
    package init(_ pool: PostgreSQLPool, zone: String, options: Options) throws {
        self.pool = pool
        self.zone = zone
        self.options = options
        reading = DispatchSemaphore(value: max(pool.options.connections / 4, 1))
        snapshots = PostgreSQLSnapshotStorage(pool, zone: zone, newID: options.newEpoch)
        try read { _ in }
    }

    /// Inserts the row of a zone unless there is one.
    static func make(
        _ zone: String, through session: PostgreSQLSession, epoch: EpochID
    ) throws {
        guard let epochs = EpochHistory([.init(id: epoch, forkPosition: 0)]) else { return }
        _ = try session.run(
            ZoneRow(history: session.history, epochs: epochs).inserting(zone))
    }

    package var stop: StopSignal { pool.options.stop }

    package func read<Result>(_ body: (any ZoneReading) throws -> Result) throws -> Result {
        try StorageError.convertingPostgreSQL {
            while true {
                if let result = try readOnce(body) { return result }
                // The transaction begins the epoch that the zone lacks.
                try write { _ in }
            }
        }
    }

    /// Runs `body` when it is the caller's turn.
    ///
    /// - Returns: `nil` if the zone must begin an epoch before it is read.
    private func readOnce<Result>(
        _ body: (any ZoneReading) throws -> Result
    ) throws -> Result? {
        reading.wait()
        defer { reading.signal() }
        return try pool.withSession { try read(through: $0, body) }
    }

    private func read<Result>(
        through session: PostgreSQLSession, _ body: (any ZoneReading) throws -> Result
    ) throws -> Result? {
        let row = try self.row(in: session.begin(.reading, [ZoneRow.reading(zone)])[0])
        guard row.history == session.history else { return nil }
        let result = try body(
            PostgreSQLZoneReader(session, zone: zone, row: row, names: ZoneNameCache()))
        try session.commit()
        return result
    }

    private func row(in rows: PostgreSQLRows) throws -> ZoneRow {
        guard let row = rows.first else {
            throw StorageError(.noSuchZone, "Can't open zone \(zone) because it does not exist.")
        }
        return try ZoneRow(row)
    }

    package func write<Result>(
        _ needs: ZoneNeeds, _ body: (ZoneDraft) throws -> Result
    ) throws -> Result {
        try StorageError.convertingPostgreSQL {
            try writing.withLock {
                guard !isClosed else {
                    throw StorageError(.closed, "Can't write zone \(zone) because it is closed.")
                }
                var repeats = 0
                while true {
                    do {
                        return try pool.withSession { try write(needs, through: $0, body) }
                    } catch {
                        names.forget()
                        guard (error as? PostgreSQLError)?.kind == .conflict,
                            repeats < Self.maximumRepeats
                        else { throw error }
                        repeats += 1
                    }
                }
            }
        }
    }

    private func write<Result>(
        _ needs: ZoneNeeds, through session: PostgreSQLSession,
        _ body: (ZoneDraft) throws -> Result
    ) throws -> Result {
        let statements = [ZoneRow.locking(zone)] + needs.statements(for: zone)
        let results = try session.begin(.writing, statements)
        let sentRow = try row(in: results[0])
        var row = sentRow
        if row.history != session.history {
            row.begin(options.newEpoch(), in: session.history)
        }
        if row.epochs.present != namesEpoch {
            names.forget()
            namesEpoch = row.epochs.present
        }
        let writer = PostgreSQLZoneWriter(session, zone: zone, row: sentRow, names: names)
        let draft = ZoneDraft(
            writer, row: row, names: names, greatestOrdinal: options.greatestOrdinal)
        try needs.give(Array(results.dropFirst()), to: draft, place: writer.place)
        let result = try body(draft)
        try faults.beforeCommit?()
        writer.replace(draft.row)
        try session.commit(writer.lastStatements(draft.takeChanges()))
        try faults.afterCommit?()
        return result
    }

    /// The database checks its own pages; `amcheck` finds more.
    package func damage() throws -> [String] { [] }

    package func close() { writing.withLock { isClosed = true } }

    /// Sets the points at which a test ends the process.
    package func setFaults(_ faults: Faults) { writing.withLock { self.faults = faults } }
}
