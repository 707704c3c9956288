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

    package func piece(of part: SavePart, from start: Int) throws -> [UInt8] {
        try connection.cached(
            """
            SELECT start, bytes FROM part WHERE digest = ? AND size = ? AND start <= ?
            ORDER BY start DESC LIMIT 1
            """, part.digest.bytes, Int64(part.byteCount), Int64(start)
        ).first { try $0.piece(from: start) } ?? []
    }

    package func logParts() throws -> [(part: SavePart, position: UInt64)] {
        let rows = try connection.cached("SELECT digest, size, position FROM log_part")
        var listed: [(part: SavePart, position: UInt64)] = []
        while try rows.step() { listed.append((try rows.part(), try rows.unsigned(at: 2))) }
        return listed
    }

    package func staged() throws -> StagedParts {
        try connection.cached("SELECT count(*), coalesce(sum(held), 0) FROM stage")
            .first { try $0.staged() } ?? StagedParts()
    }
}

extension Statement {
    func bind(_ part: SavePart) throws {
        try bind(part.digest.bytes, at: 1)
        try bind(Int64(part.byteCount), at: 2)
    }
}
