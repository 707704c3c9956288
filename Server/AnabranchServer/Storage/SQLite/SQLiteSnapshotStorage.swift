import AnabranchProtocol
import AnabranchReplication
import AnabranchSQLite
import Foundation

/// Snapshots of one zone in a SQLite file beside the zone's own.
///
/// A backup need not copy this file, and pushes do not wait while a snapshot is written. Several
/// processes may have the file open, and write snapshots at the same time.
///
/// - `snapshot`: one row for each snapshot. `digest` is NULL while it is being written, and
///   `touched` is the time at which its last chunk was added. An ID is never used again, so a late
///   chunk can't get into another snapshot.
/// - `chunk`: the chunks by number, with the digest of their bytes.
final class SQLiteSnapshotStorage: ChunkStorage {
    static let tables = TableFormat(
        creation: """
            CREATE TABLE snapshot(
                id INTEGER PRIMARY KEY AUTOINCREMENT, epoch BLOB NOT NULL,
                position INTEGER NOT NULL, running BLOB NOT NULL, digest BLOB,
                chunks INTEGER NOT NULL, bytes INTEGER NOT NULL, touched INTEGER NOT NULL);
            CREATE TABLE chunk(
                snapshot INTEGER NOT NULL, number INTEGER NOT NULL, digest BLOB NOT NULL,
                bytes BLOB NOT NULL, PRIMARY KEY (snapshot, number));
            """)

    private let path: String
    private let vfs: String?
    private let stop: StopSignal
    private let using = NSLock()
    /// Used only while `using` is held; opened at the first use.
    nonisolated(unsafe) private var connection: Connection?
    nonisolated(unsafe) private var isClosed = false

    init(path: String, vfs: String?, stop: StopSignal = StopSignal()) {
        self.path = path
        self.vfs = vfs
        self.stop = stop
    }

    private func use<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        try using.withLock {
            guard !isClosed else {
                throw StorageError(.closed, "Can't read \(path) because it is closed.")
            }
            try stop.check()
            return try StorageError.convertingSQLite(of: path) {
                let connection = try connection ?? open()
                self.connection = connection
                return try body(connection)
            }
        }
    }

    private func open() throws -> Connection {
        let connection = try Connection(path: path, mode: .readWriteCreate, vfs: vfs)
        _ = try connection.firstValue("PRAGMA journal_mode = WAL")
        try connection.execute("PRAGMA synchronous = NORMAL")
        try connection.transaction {
            let isUsable: Bool
            do { isUsable = try Self.tables.update(connection) } catch is TableFormatError {
                // The snapshots of another format are made again.
                isUsable = false
            }
            guard !isUsable else { return }
            try connection.execute("DROP TABLE IF EXISTS snapshot; DROP TABLE IF EXISTS chunk")
            try Self.tables.create(connection)
        }
        try connection.stop { [stop] in stop.isOver }
        return connection
    }

    private static func remove(_ chosen: String, from connection: Connection) throws {
        try connection.execute("DELETE FROM chunk WHERE snapshot IN (\(chosen))")
        try connection.execute("DELETE FROM snapshot WHERE id IN (\(chosen))")
    }

    func manifests() throws -> [SnapshotManifest] {
        try use { connection in
            try connection.cached(
                """
                SELECT epoch, position, running, digest, chunks, bytes FROM snapshot
                WHERE digest IS NOT NULL ORDER BY id DESC
                """
            ).map { try $0.manifest() }
        }
    }

    func chunk(_ number: UInt64, of name: SnapshotName) throws -> [UInt8]? {
        try use { connection in
            let row = try connection.cached(
                """
                SELECT c.bytes, c.digest FROM chunk c JOIN snapshot s ON s.id = c.snapshot
                WHERE s.digest = ? AND s.epoch = ? AND s.position = ? AND c.number = ?
                """, name.digest.bytes, name.cursor.epoch.bytes,
                Int64(clamping: name.cursor.position), Int64(clamping: number))
            guard try row.step() else { return nil }
            guard let bytes = try row.chunk() else {
                throw StorageError(
                    .damaged,
                    "Can't read chunk \(number) of a snapshot because \(path) is damaged. Remove "
                        + "the file, and the server makes another snapshot.")
            }
            return bytes
        }
    }

    func begin(at cursor: LogCursor, wallMilliseconds: Int64) throws -> Int64 {
        try use { connection in
            try connection.run(
                """
                INSERT INTO snapshot(epoch, position, running, chunks, bytes, touched)
                VALUES (?, ?, ?, 0, 0, ?)
                """, .blob(cursor.epoch.bytes), .integer(Int64(clamping: cursor.position)),
                .blob(cursor.running.bytes),
                .integer(wallMilliseconds))
            return connection.lastInsertRowID
        }
    }

    /// Appends a chunk in its own transaction, so that readers of other snapshots wait only
    /// briefly.
    func append(
        _ chunk: [UInt8], _ digest: Digest, number: UInt64, to id: Int64,
        wallMilliseconds: Int64
    ) throws {
        try use { connection in
            try connection.transaction {
                try connection.run(
                    "UPDATE snapshot SET touched = ? WHERE id = ? AND digest IS NULL",
                    .integer(wallMilliseconds), .integer(id))
                guard connection.changes == 1 else { throw removed }
                try connection.run(
                    "INSERT INTO chunk(snapshot, number, digest, bytes) VALUES (?, ?, ?, ?)",
                    .integer(id), .integer(Int64(clamping: number)), .blob(digest.bytes),
                    .blob(chunk))
            }
        }
    }

    private var removed: StorageError {
        StorageError(
            .snapshotRemoved,
            "Can't finish a snapshot because another process has removed what was written of it "
                + "to \(path): ask for the snapshot again.")
    }

    func finish(_ manifest: SnapshotManifest, _ id: Int64) throws {
        try use { connection in
            try connection.run(
                """
                UPDATE snapshot SET digest = ?, chunks = ?, bytes = ?
                WHERE id = ? AND digest IS NULL
                """,
                .blob(manifest.name.digest.bytes),
                .integer(Int64(clamping: manifest.chunkCount)),
                .integer(Int64(clamping: manifest.byteCount)), .integer(id))
            guard connection.changes == 1 else { throw removed }
        }
    }

    func discard(_ id: Int64) throws { try use { try Self.remove("\(id)", from: $0) } }

    func dropUnfinished(untouchedSince wallMilliseconds: Int64) throws {
        try use { connection in
            try connection.transaction {
                try Self.remove(
                    "SELECT id FROM snapshot WHERE digest IS NULL AND touched < "
                        + "\(wallMilliseconds)", from: connection)
            }
        }
    }

    func keepNewest(_ count: Int) throws {
        try use { connection in
            try connection.transaction {
                try Self.remove(
                    """
                    SELECT id FROM snapshot WHERE digest IS NOT NULL
                    ORDER BY id DESC LIMIT -1 OFFSET \(count)
                    """, from: connection)
            }
        }
    }

    func close() {
        using.withLock {
            isClosed = true
            connection?.close()
            connection = nil
        }
    }
}
