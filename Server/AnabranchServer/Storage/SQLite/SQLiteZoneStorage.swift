package import AnabranchReplication
package import AnabranchSQLite
import Foundation

/// One zone in one SQLite file in WAL mode; every commit is flushed to the disk.
///
/// A file that has another identity than the recorded one was copied or restored, so another log
/// with the same beginning may exist. The zone then starts a new epoch at its present head.
package final class SQLiteZoneStorage: ZoneStorage {
    package struct Options: Sendable {
        /// The name of a registered SQLite virtual file system; `nil` is the system's.
        package var vfs: String?
        package var readers = 4
        /// Returns the identity of the file at a path.
        package var fileIdentity: @Sendable (String) throws -> FileIdentity = { path in
            try FileIdentity(path: path)
        }
        /// The greatest ordinal that a replica may have.
        package var greatestOrdinal = Int64(Limits.greatestReplicaOrdinal)
        /// Ends the work when the server stops.
        package var stop = StopSignal()

        package init() {}
    }

    package let snapshots: any SnapshotStorage
    private let path: String
    private let options: Options
    private let readers: ConnectionPool
    /// Used only while `writing` is held.
    nonisolated(unsafe) private let connection: Connection
    nonisolated(unsafe) private let names = ZoneNameCache()
    private let writing = NSLock()

    /// Opens a zone's file, or creates it.
    ///
    /// - Parameters:
    ///   - isCreated: True if a missing file is created; otherwise it is an error.
    ///   - newEpoch: Returns 16 random bytes; called if an epoch begins.
    ///
    /// - Throws: ``StorageError``; the file is unchanged.
    package init(
        path: String, creating isCreated: Bool, options: Options = Options(),
        newEpoch: () -> EpochID
    ) throws {
        self.path = path
        self.options = options
        let connection = try StorageError.convertingSQLite(of: path) {
            try Self.open(path, creating: isCreated, vfs: options.vfs)
        }
        self.connection = connection
        let stop = options.stop
        snapshots = SQLiteSnapshotStorage(
            path: path + ".snapshots", vfs: options.vfs, stop: stop)
        readers = ConnectionPool(path: path, limit: options.readers, vfs: options.vfs) {
            try $0.stop { stop.isOver }
        }
        try StorageError.convertingSQLite(of: path) {
            try Self.prepare(
                connection, creating: isCreated, identity: options.fileIdentity,
                newEpoch: newEpoch)
            try connection.stop { stop.isOver }
        }
    }

    package var stop: StopSignal { options.stop }

    private static func open(
        _ path: String, creating isCreated: Bool, vfs: String?
    ) throws -> Connection {
        do {
            return try Connection(
                path: path, mode: isCreated ? .readWriteCreate : .readWrite, vfs: vfs)
        } catch let error as SQLiteError where error.code == .cantOpen && !isCreated {
            // The file may be there all the same: the process may have no descriptor left.
            guard vfs == nil, isThere(path) else {
                throw StorageError(.noSuchZone, "Can't open \(path) because it does not exist.")
            }
            throw StorageError(error, of: path)
        }
    }

    private static func isThere(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 || (errno != ENOENT && errno != ENOTDIR)
    }

    private static func prepare(
        _ connection: Connection, creating isCreated: Bool,
        identity: (String) throws -> FileIdentity, newEpoch: () -> EpochID
    ) throws {
        let mode = try connection.firstValue("PRAGMA journal_mode = WAL")
        guard mode == .text("wal") else {
            throw StorageError(
                .damaged, "Can't open \(connection.path) because it can't be put in WAL mode.")
        }
        // On Apple's systems only `fullfsync` flushes past the drive's cache.
        try connection.execute(
            "PRAGMA synchronous = FULL; PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1")
        // Hundreds of zones may be open, so 4 MiB for each.
        try connection.execute("PRAGMA cache_size = -4096")
        // A process that died before its flush leaves commits that are readable but not durable. If
        // a client pushes them again, the zone would report them as held, so they are flushed
        // first.
        _ = try connection.checkpoint(.passive)
        let identity = try identity(connection.path)
        try connection.transaction {
            guard try ZoneSchema.check(connection) else {
                guard isCreated else { throw Self.isEmpty(connection.path) }
                return try ZoneSchema.create(connection, epoch: newEpoch(), identity: identity)
            }
            try beginEpochIfCopied(connection, identity, newEpoch)
        }
    }

    /// The error for a file that was cut to nothing, which must not pass for an empty zone.
    private static func isEmpty(_ path: String) -> StorageError {
        StorageError(
            .damaged,
            "Can't open \(path) because it is empty: restore it from a backup. To begin the zone "
                + "anew, move the file away and create the zone.")
    }

    private static func beginEpochIfCopied(
        _ connection: Connection, _ identity: FileIdentity, _ newEpoch: () -> EpochID
    ) throws {
        guard case .blob(let bytes)? = try connection.firstValue("SELECT identity FROM zone"),
            let recorded = FileIdentity(encoded: bytes)
        else {
            throw StorageError(
                .damaged, "Can't open \(connection.path) because its zone row is missing.")
        }
        guard !recorded.matches(identity) else { return }
        try ZoneSchema.beginEpoch(newEpoch(), connection)
        try connection.run("UPDATE zone SET identity = ?", .blob(identity.encoded))
    }

    package func read<Result>(_ body: (any ZoneReading) throws -> Result) throws -> Result {
        try stop.check()
        return try StorageError.convertingSQLite(of: path) {
            try readers.read { try body(SQLiteZoneReader($0)) }
        }
    }

    package func write<Result>(
        _ needs: ZoneNeeds, _ body: (ZoneDraft) throws -> Result
    ) throws -> Result {
        try writing.withLock {
            guard connection.isOpen else {
                throw StorageError(.closed, "Can't write \(path) because it is closed.")
            }
            try stop.check()
            do {
                return try StorageError.convertingSQLite(of: path) {
                    try connection.transaction {
                        let row = try SQLiteZoneReader(connection, names: names).zoneRow()
                        let writer = SQLiteZoneWriter(connection, row: row, names: names)
                        let draft = ZoneDraft(
                            writer, row: row, names: names,
                            greatestOrdinal: options.greatestOrdinal)
                        let result = try body(draft)
                        try writer.write(draft.takeChanges())
                        try writer.replace(draft.row)
                        return result
                    }
                }
            } catch {
                names.forget()
                throw error
            }
        }
    }

    package var fileBytes: Int64? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.size] as? NSNumber)?.int64Value
    }

    package func damage() throws -> [String] {
        let places = try StorageError.convertingSQLite(of: path) { try readers.damage() }
        guard !places.isEmpty else { return [] }
        return ["\(path) has damaged pages: \(StorageError.causeOfDamage(of: path))"] + places
    }

    package func close() {
        readers.close()
        snapshots.close()
        writing.withLock {
            guard connection.isOpen else { return }
            // A truncated log leaves fewer files for a backup to copy. If it fails here, because
            // another process reads the file, SQLite does it when the file is opened again.
            connection.setBusyTimeout(.zero)
            _ = try? connection.checkpoint(.truncate)
            connection.close()
        }
    }

    /// Sets the points at which a simulation ends the process.
    package func setFaults(_ faults: TransactionFaults?) {
        writing.withLock { connection.faults = faults }
    }
}
