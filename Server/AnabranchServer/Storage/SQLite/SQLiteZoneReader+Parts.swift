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

    package func logParts() throws -> [(part: SavePart, position: UInt64)] {
        let rows = try connection.cached("SELECT digest, size, position FROM log_part")
        var listed: [(part: SavePart, position: UInt64)] = []
        while try rows.step() { listed.append((try rows.part(), try rows.unsigned(at: 2))) }
        return listed
    }

    package func staged() throws -> StagedParts {
        let row = try connection.cached("SELECT count(*), coalesce(sum(held), 0) FROM stage")
        guard try row.step() else { return StagedParts() }
        defer { row.reset() }
        return StagedParts(
            count: Int(clamping: try row.amount(at: 0)),
            byteCount: Int(clamping: try row.amount(at: 1)))
    }
}

extension Statement {
    func bind(_ part: SavePart) throws {
        try bind(part.digest.bytes, at: 1)
        try bind(Int64(part.byteCount), at: 2)
    }
}
