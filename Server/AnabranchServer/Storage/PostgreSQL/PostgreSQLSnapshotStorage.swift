import AnabranchProtocol
import AnabranchReplication

/// Snapshots of one zone in a database. Every daemon gives them to clients, and one daemon writes
/// them at a time.
final class PostgreSQLSnapshotStorage: ChunkStorage {
    private let pool: PostgreSQLPool
    private let zone: String
    /// Returns 16 random bytes.
    private let newID: @Sendable () -> ReplicaID

    /// The time after which an unfinished snapshot no longer keeps others from being written.
    private static let leaseMilliseconds: Int64 = 30_000

    init(_ pool: PostgreSQLPool, zone: String, newID: @escaping @Sendable () -> ReplicaID) {
        self.pool = pool
        self.zone = zone
        self.newID = newID
    }

    private func use<Result>(_ body: (PostgreSQLSession) throws -> Result) throws -> Result {
        try StorageError.convertingPostgreSQL { try pool.withSession(body) }
    }

    private func statement(
        _ sql: String, _ parameters: PostgreSQLValue..., changing changes: Int? = nil
    ) -> PostgreSQLStatement {
        PostgreSQLStatement(sql, [.text(zone)] + parameters, changing: changes)
    }

    func manifests() throws -> [SnapshotManifest] {
        try use { session in
            try session.run(
                statement(
                    """
                    SELECT epoch, position, running, digest, chunks, bytes FROM anabranch.snapshot
                    WHERE zone = $1 AND digest IS NOT NULL ORDER BY begun DESC, id
                    """)
            ).map { try $0.manifest() }
        }
    }

    func chunk(_ number: UInt64, of name: SnapshotName) throws -> [UInt8]? {
        try use { session in
            let row = try session.run(
                statement(
                    """
                    SELECT c.bytes, c.digest FROM anabranch.snapshot AS s
                    JOIN anabranch.chunk AS c ON c.zone = $1 AND c.snapshot = s.id
                    WHERE s.zone = $1 AND s.digest = $2 AND s.epoch = $3 AND s.position = $4
                    AND c.number = $5
                    """, .bytes(name.digest.bytes), .bytes(name.cursor.epoch.bytes),
                    .integer(Int64(clamping: name.cursor.position)),
                    .integer(Int64(clamping: number)))
            ).first
            guard let row else { return nil }
            guard let bytes = try row.chunk() else {
                throw StorageError(
                    .damaged,
                    "Can't read chunk \(number) of a snapshot of zone \(zone) because it is "
                        + "damaged. Remove the zone's snapshots, and the server makes another.")
            }
            return bytes
        }
    }

    /// Inserts the row of an unfinished snapshot, unless another one is being written.
    func begin(at cursor: LogCursor, wallMilliseconds: Int64) throws -> PostgreSQLValue {
        let id = PostgreSQLValue.bytes(newID().bytes)
        try use { session in
            let inserted = try session.run(
                statement(
                    """
                    INSERT INTO anabranch.snapshot(zone, id, begun, epoch, position, running,
                        chunks, bytes, touched)
                    SELECT $1, $2, (SELECT coalesce(max(begun), 0) + 1 FROM anabranch.snapshot
                        WHERE zone = $1), $3, $4, $5, 0, 0, $6
                    WHERE NOT EXISTS (SELECT 1 FROM anabranch.snapshot
                        WHERE zone = $1 AND digest IS NULL AND touched > $7)
                    """, id, .bytes(cursor.epoch.bytes),
                    .integer(Int64(clamping: cursor.position)), .bytes(cursor.running.bytes),
                    .integer(wallMilliseconds),
                    .integer(wallMilliseconds - Self.leaseMilliseconds)))
            guard inserted.changes == 1 else {
                throw StorageError(
                    .busy,
                    "Can't write a snapshot of zone \(zone) because another daemon writes one: "
                        + "try again.")
            }
        }
        return id
    }

    /// Appends a chunk in its own transaction.
    func append(
        _ chunk: [UInt8], _ digest: Digest, number: UInt64, to id: PostgreSQLValue,
        wallMilliseconds: Int64
    ) throws {
        try use { session in
            let touched = try session.begin(
                .writing,
                [
                    statement(
                        """
                        UPDATE anabranch.snapshot SET touched = $3
                        WHERE zone = $1 AND id = $2 AND digest IS NULL
                        """, id, .integer(wallMilliseconds))
                ])[0]
            guard touched.changes == 1 else { throw removed }
            try session.commit([
                statement(
                    """
                    INSERT INTO anabranch.chunk(zone, snapshot, number, digest, bytes)
                    VALUES ($1, $2, $3, $4, $5)
                    """, id, .integer(Int64(clamping: number)), .bytes(digest.bytes),
                    .bytes(chunk), changing: 1)
            ])
        }
    }

    private var removed: StorageError {
        StorageError(
            .snapshotRemoved,
            "Can't finish a snapshot of zone \(zone) because another daemon has removed what was "
                + "written of it: ask for the snapshot again.")
    }

    func finish(_ manifest: SnapshotManifest, _ id: PostgreSQLValue) throws {
        try use { session in
            let finished = try session.run(
                statement(
                    """
                    UPDATE anabranch.snapshot SET digest = $3, chunks = $4, bytes = $5
                    WHERE zone = $1 AND id = $2 AND digest IS NULL
                    """, id, .bytes(manifest.name.digest.bytes),
                    .integer(Int64(clamping: manifest.chunkCount)),
                    .integer(Int64(clamping: manifest.byteCount))))
            guard finished.changes == 1 else { throw removed }
        }
    }

    /// Removes the snapshots that a condition selects, with their chunks.
    ///
    /// - Parameter condition: A condition on the table `snapshot`, in which `$2` is the parameter.
    private func remove(_ condition: String, _ parameter: PostgreSQLValue) throws {
        let chosen = "SELECT id FROM anabranch.snapshot WHERE zone = $1 AND \(condition)"
        try use { session in
            _ = try session.begin(.writing, [])
            try session.commit([
                statement(
                    "DELETE FROM anabranch.chunk WHERE zone = $1 AND snapshot IN (\(chosen))",
                    parameter),
                statement(
                    "DELETE FROM anabranch.snapshot WHERE zone = $1 AND id IN (\(chosen))",
                    parameter),
            ])
        }
    }

    func discard(_ id: PostgreSQLValue) throws { try remove("id = $2", id) }

    func dropUnfinished(untouchedSince wallMilliseconds: Int64) throws {
        try remove("digest IS NULL AND touched < $2", .integer(wallMilliseconds))
    }

    func keepNewest(_ count: Int) throws {
        try remove(
            """
            digest IS NOT NULL AND id NOT IN (SELECT id FROM anabranch.snapshot
                WHERE zone = $1 AND digest IS NOT NULL ORDER BY begun DESC, id LIMIT $2)
            """, .integer(Int64(count)))
    }

    func close() {}
}
