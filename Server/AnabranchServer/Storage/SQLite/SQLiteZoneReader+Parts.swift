package import AnabranchReplication
import AnabranchSQLite

extension SQLiteZoneReader {
    package func heldBytes(of part: SavePart) throws -> Int {
        let row = try connection.cached(
            "SELECT coalesce(max(start + length(bytes)), 0) FROM part WHERE digest = ? AND size = ?"
        )
        try row.bind(part)
        guard try row.step() else { return 0 }
        defer { row.reset() }
        return Int(clamping: try row.unsigned(at: 0))
    }

    package func isInLog(_ part: SavePart) throws -> Bool {
        let row = try connection.cached(
            "SELECT 1 FROM log_part WHERE digest = ? AND size = ? LIMIT 1")
        try row.bind(part)
        defer { row.reset() }
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
        defer { row.reset() }
        let offset = start - Int(clamping: try row.unsigned(at: 0))
        return Array(row.bytes(at: 1).dropFirst(max(offset, 0)))
    }

    package func stagedBytes() throws -> Int {
        Int(try amount("SELECT coalesce(sum(held), 0) FROM stage"))
    }
}

extension SQLiteZoneWriter {
    package func append(
        _ piece: [UInt8], to part: SavePart, at start: Int, wallMilliseconds: Int64
    ) throws {
        let row = try connection.cached(
            "INSERT INTO part(digest, size, start, bytes) VALUES (?, ?, ?, ?)")
        try row.bind(part)
        try row.bind(Int64(start), at: 3)
        try row.bind(piece, at: 4)
        try row.run()
        try count(bytes: piece.count)
        let stage = try connection.cached(
            "INSERT OR REPLACE INTO stage(digest, size, held, touched) VALUES (?, ?, ?, ?)")
        try stage.bind(part)
        try stage.bind(Int64(start + piece.count), at: 3)
        try stage.bind(wallMilliseconds, at: 4)
        try stage.run()
    }

    package func putInLog(_ parts: [SavePart], at position: UInt64) throws {
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
        guard !parts.isEmpty else { return }
        let staged = try connection.cached("DELETE FROM stage WHERE digest = ? AND size = ?")
        for part in parts {
            try staged.bind(part)
            try staged.run()
        }
        try removeUnusedParts()
    }

    package func dropStaged(untouchedSince wallMilliseconds: Int64) throws {
        try connection.run("DELETE FROM stage WHERE touched < ?", .integer(wallMilliseconds))
        if connection.changes > 0 { try removeUnusedParts() }
    }

    /// Removes parts that the log does not list and no client is sending.
    func removeUnusedParts() throws {
        let unused = """
            FROM part WHERE NOT EXISTS
            (SELECT 1 FROM log_part l WHERE l.digest = part.digest AND l.size = part.size)
            AND NOT EXISTS
            (SELECT 1 FROM stage s WHERE s.digest = part.digest AND s.size = part.size)
            """
        try uncount(sumOf: "length(bytes)", unused)
        try connection.run("DELETE \(unused)")
    }
}

extension Statement {
    fileprivate func bind(_ part: SavePart) throws {
        try bind(part.digest.bytes, at: 1)
        try bind(Int64(part.byteCount), at: 2)
    }
}
