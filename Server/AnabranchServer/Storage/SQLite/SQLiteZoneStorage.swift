package import AnabranchReplication
package import AnabranchSQLite
import Foundation

/// One zone in one SQLite file: WAL, every commit flushed to the disk.
///
/// A file that is found under another identity was copied or restored: somewhere there may be
/// another log that shares this one's beginning. So it starts a new epoch at its present head.
package final class SQLiteZoneStorage: ZoneStorage {
    package struct Options: Sendable {
        /// The name of a registered SQLite virtual file system; `nil` is the system's.
        package var vfs: String?
        package var readers = 4
        /// Which file lies at a path.
        package var fileIdentity: @Sendable (String) throws -> FileIdentity = { path in
            try FileIdentity(path: path)
        }
        /// The last ordinal that a replica may have.
        package var greatestOrdinal = Int64(Limits.greatestReplicaOrdinal)

        package init() {}
    }

    package let snapshots: any SnapshotStorage
    private let path: String
    private let options: Options
    private let readers: ConnectionPool
    /// Used only while `writing` is held.
    nonisolated(unsafe) private let connection: Connection
    nonisolated(unsafe) private let names = ZoneNames()
    private let writing = NSLock()

    /// Opens a zone's file, or makes it.
    ///
    /// - Parameters:
    ///   - isCreated: Whether a missing file is made; else it is an error.
    ///   - newEpoch: 16 random bytes, asked for where an epoch begins.
    /// - Throws: ``ZoneStorageError`` or `SQLiteError`; the file is as it was.
    package init(
        path: String, creating isCreated: Bool, options: Options = Options(),
        newEpoch: () -> EpochID
    ) throws {
        self.path = path
        self.options = options
        let connection = try Self.open(path, creating: isCreated, vfs: options.vfs)
        self.connection = connection
        snapshots = SQLiteSnapshotStorage(path: path + ".snapshots", vfs: options.vfs)
        readers = ConnectionPool(path: path, limit: options.readers, vfs: options.vfs)
        try Self.prepare(
            connection, identity: options.fileIdentity, newEpoch: newEpoch)
    }

    private static func open(
        _ path: String, creating isCreated: Bool, vfs: String?
    ) throws -> Connection {
        do {
            return try Connection(
                path: path, mode: isCreated ? .readWriteCreate : .readWrite, vfs: vfs)
        } catch let error as SQLiteError where error.code == .cantOpen && !isCreated {
            throw ZoneStorageError(.noSuchZone, "Can't open \(path) because it does not exist.")
        }
    }

    private static func prepare(
        _ connection: Connection, identity: (String) throws -> FileIdentity,
        newEpoch: () -> EpochID
    ) throws {
        let mode = try connection.firstValue("PRAGMA journal_mode = WAL")
        guard mode == .text("wal") else {
            throw ZoneStorageError(
                .damaged, "Can't open \(connection.path) because it can't be put in WAL mode.")
        }
        try connection.execute("PRAGMA synchronous = FULL")
        try connection.execute("PRAGMA cache_size = -16384")
        // A process that died before its flush leaves commits that are readable and not durable:
        // whoever asks for them again would be told that they are held.
        _ = try connection.checkpoint(.passive)
        let identity = try identity(connection.path)
        try connection.transaction {
            guard try ZoneSchema.check(connection) else {
                return try ZoneSchema.create(connection, epoch: newEpoch(), identity: identity)
            }
            try beginEpochIfCopied(connection, identity, newEpoch)
        }
    }

    private static func beginEpochIfCopied(
        _ connection: Connection, _ identity: FileIdentity, _ newEpoch: () -> EpochID
    ) throws {
        guard case .blob(let bytes)? = try connection.firstValue("SELECT identity FROM zone"),
            let recorded = FileIdentity(encoded: bytes)
        else {
            throw ZoneStorageError(
                .damaged, "Can't open \(connection.path) because its zone row is missing.")
        }
        guard !recorded.matches(identity) else { return }
        try connection.run(
            """
            INSERT INTO epoch(ordinal, id, fork)
            SELECT max(ordinal) + 1, ?, (SELECT coalesce(max(position), 0) FROM log) FROM epoch
            """, .blob(newEpoch().bytes))
        try connection.run("UPDATE zone SET identity = ?", .blob(identity.encoded))
    }

    package func read<Result>(_ body: (any ZoneReading) throws -> Result) throws -> Result {
        try readers.read { try body(SQLiteZoneReader($0)) }
    }

    package func write<Result>(_ body: (any ZoneWriting) throws -> Result) throws -> Result {
        try writing.withLock {
            guard connection.isOpen else {
                throw ZoneStorageError(.closed, "Can't write \(path) because it is closed.")
            }
            do {
                return try connection.transaction {
                    try body(
                        SQLiteZoneWriter(
                            connection, names: names, greatestOrdinal: options.greatestOrdinal))
                }
            } catch {
                names.forget()
                throw error
            }
        }
    }

    package func damage() throws -> [String] { try readers.damage() }

    package func close() {
        readers.close()
        snapshots.close()
        writing.withLock {
            guard connection.isOpen else { return }
            // Fewer files for whoever copies the directory; SQLite does it at the next opening
            // where it fails here.
            _ = try? connection.checkpoint(.truncate)
            connection.close()
        }
    }

    /// Where a simulation lets the process die.
    package func setFaults(_ faults: TransactionFaults?) {
        writing.withLock { connection.faults = faults }
    }
}
