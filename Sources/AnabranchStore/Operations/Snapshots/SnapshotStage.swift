import AnabranchReplication
import AnabranchSQLite

/// The tables `ab_snapshot` and `ab_snapshot_chunk` on one connection.
struct SnapshotStage {
    let connection: Connection

    func staged() throws -> StagedSnapshot? {
        let row = try connection.cached(
            """
            SELECT epoch, position, running, digest, chunks,
                (SELECT coalesce(max(number) + 1, 0) FROM ab_snapshot_chunk)
            FROM ab_snapshot WHERE id = 1
            """)
        guard try row.step() else { return nil }
        guard
            let position = UInt64(exactly: row.int64(at: 1)), position <= Limits.greatestSequence,
            let cursor = StoreState.cursor(
                epoch: row.bytes(at: 0), position: position, running: row.bytes(at: 2)),
            let digest = Digest(bytes: row.bytes(at: 3)),
            let chunkCount = UInt64(exactly: row.int64(at: 4)),
            let held = UInt64(exactly: row.int64(at: 5))
        else { return nil }
        return StagedSnapshot(cursor: cursor, digest: digest, chunkCount: chunkCount, held: held)
    }

    func begin(_ snapshot: StagedSnapshot) throws {
        try clear()
        try connection.run(
            """
            INSERT INTO ab_snapshot (id, epoch, position, running, digest, chunks)
            VALUES (1, ?, ?, ?, ?, ?)
            """, .blob(snapshot.cursor.epoch.bytes),
            .integer(Int64(bitPattern: snapshot.cursor.position)),
            .blob(snapshot.cursor.running.bytes), .blob(snapshot.digest.bytes),
            .integer(Int64(bitPattern: snapshot.chunkCount)))
    }

    func add(_ chunk: [UInt8], number: UInt64) throws {
        try connection.run(
            "INSERT INTO ab_snapshot_chunk (number, bytes) VALUES (?, ?)",
            .integer(Int64(bitPattern: number)), .blob(chunk))
    }

    func chunk(_ number: UInt64) throws -> [UInt8] {
        let row = try connection.cached(
            "SELECT bytes FROM ab_snapshot_chunk WHERE number = ?", Int64(bitPattern: number))
        guard try row.step() else {
            throw StoreError(.corrupt, "Can't load a snapshot because chunk \(number) is missing.")
        }
        return row.bytes(at: 0)
    }

    /// The size in bytes of the chunks from a number on, as far as they were received.
    func byteCount(from number: UInt64, count: UInt64) throws -> Int {
        try connection.cached(
            """
            SELECT coalesce(sum(length(bytes)), 0) FROM ab_snapshot_chunk
            WHERE number >= ?1 AND number - ?1 < ?2
            """, Int64(clamping: number), Int64(clamping: count)
        ).first { Int($0.int64(at: 0)) } ?? 0
    }

    /// The digest over the digests of the received chunks.
    func digest(of snapshot: StagedSnapshot) throws -> Digest {
        var digests = DigestBuilder()
        for number in 0..<snapshot.chunkCount { digests.update(Digest(of: try chunk(number))) }
        return digests.finish()
    }

    func remove(_ number: UInt64) throws {
        try connection.run(
            "DELETE FROM ab_snapshot_chunk WHERE number = ?",
            .integer(Int64(bitPattern: number)))
    }

    func clear() throws {
        try connection.execute("DELETE FROM ab_snapshot")
        try connection.execute("DELETE FROM ab_snapshot_chunk")
    }
}
