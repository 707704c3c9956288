package import AnabranchReplication
import AnabranchSQLite

extension SQLiteZoneReader {
    package func heldBytes(of part: SavePart) throws -> Int {
        // A part may have many pieces, and the last one ends where the held bytes end.
        try connection.cached(
            """
            SELECT start + length(bytes) FROM part WHERE digest = ? AND size = ?
            ORDER BY start DESC LIMIT 1
            """, part.digest.bytes, Int64(part.byteCount)
        ).first { Int(clamping: try $0.unsigned(at: 0)) } ?? 0
    }

    package func isInLog(_ part: SavePart) throws -> Bool {
        try connection.cached(
            "SELECT 1 FROM log_part WHERE digest = ? AND size = ? LIMIT 1", part.digest.bytes,
            Int64(part.byteCount)
        ).step()
    }

    package func forEachPiece(of part: SavePart, _ body: ([UInt8]) throws -> Void) throws {
        let rows = try connection.cached(
            "SELECT bytes FROM part WHERE digest = ? AND size = ? ORDER BY start",
            part.digest.bytes, Int64(part.byteCount))
        while try rows.step() { try body(rows.bytes(at: 0)) }
    }

    package func piece(of part: SavePart, from start: Int) throws -> [UInt8] {
        try connection.cached(
            """
            SELECT start, bytes FROM part WHERE digest = ? AND size = ? AND start <= ?
            ORDER BY start DESC LIMIT 1
            """, part.digest.bytes, Int64(part.byteCount), Int64(start)
        ).first { try $0.piece(from: start) } ?? []
    }

    package func staged() throws -> StagedParts {
        try connection.cached("SELECT count(*), coalesce(sum(held), 0) FROM stage")
            .first { try $0.staged() } ?? StagedParts()
    }
}

extension SQLiteZoneWriter {
    package func append(
        _ piece: [UInt8], to part: SavePart, at start: Int, wallMilliseconds: Int64
    ) throws {
        try connection.cached(
            "INSERT INTO part(digest, size, start, bytes) VALUES (?, ?, ?, ?)", part.digest.bytes,
            Int64(part.byteCount),
            Int64(start), piece
        ).run()
        try count(bytes: piece.count)
        try connection.cached(
            "INSERT OR REPLACE INTO stage(digest, size, held, touched) VALUES (?, ?, ?, ?)",
            part.digest.bytes, Int64(part.byteCount), Int64(start + piece.count), wallMilliseconds
        ).run()
    }

    package func putInLog(_ parts: [SavePart], at position: UInt64) throws {
        for part in parts {
            try connection.cached(
                "INSERT OR IGNORE INTO log_part(digest, size, position) VALUES (?, ?, ?)",
                part.digest.bytes, Int64(part.byteCount), Int64(clamping: position)
            ).run()
            try unstage(part)
        }
    }

    private func unstage(_ part: SavePart) throws {
        try connection.cached(
            "DELETE FROM stage WHERE digest = ? AND size = ?", part.digest.bytes,
            Int64(part.byteCount)
        ).run()
    }

    package func dropStaged(_ parts: [SavePart]) throws {
        for part in parts {
            try unstage(part)
            try removeIfUnused(part)
        }
    }

    package func dropStaged(untouchedSince wallMilliseconds: Int64) throws {
        try dropStaged(
            try parts("SELECT digest, size FROM stage WHERE touched < ?", wallMilliseconds))
    }

    /// Removes the parts of the log's entries up to a position, unless they are used otherwise.
    func forgetParts(through position: UInt64) throws {
        let last = Int64(clamping: position)
        let parts = try parts(
            "SELECT DISTINCT digest, size FROM log_part WHERE position <= ?", last)
        try connection.run("DELETE FROM log_part WHERE position <= ?", .integer(last))
        for part in parts { try removeIfUnused(part) }
    }

    private func parts(_ sql: String, _ limit: Int64) throws -> [SavePart] {
        try connection.cached(sql, limit).map {
            SavePart(
                digest: try $0.digest(at: 0),
                byteCount: Int(clamping: try $0.unsigned(at: 1)))
        }
    }

    /// Removes a part that the log does not list and no client is sending.
    private func removeIfUnused(_ part: SavePart) throws {
        let (digest, size) = (part.digest.bytes, Int64(part.byteCount))
        let isUsed = try connection.cached(
            """
            SELECT 1 FROM log_part WHERE digest = ?1 AND size = ?2
            UNION ALL SELECT 1 FROM stage WHERE digest = ?1 AND size = ?2
            """, digest, size
        ).step()
        guard !isUsed else { return }
        let byteCount = try connection.cached(
            "SELECT coalesce(sum(length(bytes)), 0) FROM part WHERE digest = ? AND size = ?",
            digest, size
        ).first { Int($0.int64(at: 0)) }
        try count(bytes: -(byteCount ?? 0))
        try connection.cached("DELETE FROM part WHERE digest = ? AND size = ?", digest, size).run()
    }
}
