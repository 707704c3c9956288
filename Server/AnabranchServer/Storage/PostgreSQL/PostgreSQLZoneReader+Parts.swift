import AnabranchReplication

extension SavePart {
    /// The digest and the size, by which the tables name a part.
    var name: [PostgreSQLValue] { [.bytes(digest.bytes), .integer(Int64(byteCount))] }
}

extension PostgreSQLZoneReader {
    func heldBytes(of part: SavePart) throws -> Int {
        // A part may have many pieces, and the last one ends where the held bytes end.
        let row = try query(
            """
            SELECT (start + octet_length(bytes))::bigint FROM anabranch.part
            WHERE zone = $1 AND digest = $2 AND size = $3 ORDER BY start DESC LIMIT 1
            """, .bytes(part.digest.bytes), .integer(Int64(part.byteCount))
        ).first
        return Int(try row?.amount(at: 0) ?? 0)
    }

    func isInLog(_ part: SavePart) throws -> Bool {
        try query(
            """
            SELECT 1 FROM anabranch.log_part WHERE zone = $1 AND digest = $2 AND size = $3 LIMIT 1
            """, .bytes(part.digest.bytes), .integer(Int64(part.byteCount))
        ).first != nil
    }

    func piece(of part: SavePart, from start: Int) throws -> [UInt8] {
        try query(
            """
            SELECT start, bytes FROM anabranch.part
            WHERE zone = $1 AND digest = $2 AND size = $3 AND start <= $4
            ORDER BY start DESC LIMIT 1
            """, .bytes(part.digest.bytes), .integer(Int64(part.byteCount)),
            .integer(Int64(start))
        ).first?.piece(from: start) ?? []
    }

    func logParts() throws -> [(part: SavePart, position: UInt64)] {
        try query(
            "SELECT digest, size, position FROM anabranch.log_part WHERE zone = $1"
        ).map { (try $0.part(), try $0.unsigned(at: 2)) }
    }

    func staged() throws -> StagedParts {
        try query(
            """
            SELECT count(*), coalesce(sum(held), 0)::bigint FROM anabranch.stage WHERE zone = $1
            """
        ).first?.staged() ?? StagedParts()
    }
}
