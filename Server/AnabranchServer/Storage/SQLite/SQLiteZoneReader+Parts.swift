package import AnabranchReplication
import AnabranchSQLite

extension SQLiteZoneReader {
    package func heldBytes(of part: SavePart) throws -> Int {
        // A part may have many pieces, and the last one ends where the held bytes end.
        let row = try connection.cached(
            """
            SELECT start + length(bytes) FROM part WHERE digest = ? AND size = ?
            ORDER BY start DESC LIMIT 1
            """)
        try row.bind(part)
        guard try row.step() else { return 0 }
        return Int(clamping: try row.unsigned(at: 0))
    }

    package func isInLog(_ part: SavePart) throws -> Bool {
        let row = try connection.cached(
            "SELECT 1 FROM log_part WHERE digest = ? AND size = ? LIMIT 1")
        try row.bind(part)
        return try row.step()
    }

    package func forEachPiece(of part: SavePart, _ body: ([UInt8]) throws -> Void) throws {
        let rows = try connection.cached(
            "SELECT bytes FROM part WHERE digest = ? AND size = ? ORDER BY start")
        try rows.bind(part)
        while try rows.step() { try body(rows.bytes(at: 0)) }
    }

    package func piece(of part: SavePart, from start: Int) throws -> [UInt8] {
        let row = try connection.cached(
            """
            SELECT start, bytes FROM part WHERE digest = ? AND size = ? AND start <= ?
            ORDER BY start DESC LIMIT 1
            """)
        try row.bind(part)
        try row.bind(Int64(start), at: 3)
        guard try row.step() else { return [] }
        let offset = start - Int(clamping: try row.unsigned(at: 0))
        return Array(row.bytes(at: 1).dropFirst(max(offset, 0)))
    }

    package func staged() throws -> StagedParts {
        try connection.cached("SELECT count(*), coalesce(sum(held), 0) FROM stage").first {
            StagedParts(
                count: Int(clamping: try $0.amount(at: 0)),
                byteCount: Int(clamping: try $0.amount(at: 1)))
        } ?? StagedParts()
    }
}

extension SQLiteZoneWriter {
    package func append(
        _ piece: [UInt8], to part: SavePart, at start: Int, wallMilliseconds: Int64
    ) throws {
        let row = try connection.cached(
            "INSERT INTO part(digest, size, start, bytes) VALUES (?, ?, ?, ?)")
        try row.bind(part)
        try row.bind(Int64(start), piece, from: 3)
        try row.run()
        try count(bytes: piece.count)
        let stage = try connection.cached(
            "INSERT OR REPLACE INTO stage(digest, size, held, touched) VALUES (?, ?, ?, ?)")
        try stage.bind(part)
        try stage.bind(Int64(start + piece.count), wallMilliseconds, from: 3)
        try stage.run()
    }

    package func putInLog(_ parts: [SavePart], at position: UInt64) throws {
        guard !parts.isEmpty else { return }
        let row = try connection.cached(
            "INSERT OR IGNORE INTO log_part(digest, size, position) VALUES (?, ?, ?)")
        let staged = try connection.cached("DELETE FROM stage WHERE digest = ? AND size = ?")
        for part in parts {
            try row.bind(part)
            try row.bind(Int64(clamping: position), at: 3)
            try row.run()
            try staged.bind(part)
            try staged.run()
        }
    }

    package func dropStaged(_ parts: [SavePart]) throws {
        let staged = try connection.cached("DELETE FROM stage WHERE digest = ? AND size = ?")
        for part in parts {
            try staged.bind(part)
            try staged.run()
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
        let use = try connection.cached(
            """
            SELECT 1 FROM log_part WHERE digest = ?1 AND size = ?2
            UNION ALL SELECT 1 FROM stage WHERE digest = ?1 AND size = ?2
            """)
        try use.bind(part)
        let isUsed = try use.step()
        use.reset()
        guard !isUsed else { return }
        let size = try connection.cached(
            "SELECT coalesce(sum(length(bytes)), 0) FROM part WHERE digest = ? AND size = ?")
        try size.bind(part)
        if try size.step() { try count(bytes: -Int(size.int64(at: 0))) }
        size.reset()
        let pieces = try connection.cached("DELETE FROM part WHERE digest = ? AND size = ?")
        try pieces.bind(part)
        try pieces.run()
    }
}

extension Statement {
    fileprivate func bind(_ part: SavePart) throws {
        try bind(part.digest.bytes, at: 1)
        try bind(Int64(part.byteCount), at: 2)
    }
}
