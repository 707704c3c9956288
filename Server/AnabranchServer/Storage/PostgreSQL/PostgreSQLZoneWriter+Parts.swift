import AnabranchReplication

extension PostgreSQLZoneWriter {
    func append(
        _ piece: [UInt8], to part: SavePart, at start: Int, wallMilliseconds: Int64
    ) throws {
        let name = [PostgreSQLValue.text(zone)] + part.name
        let stage =
            name + [.integer(Int64(start + piece.count)), .integer(wallMilliseconds)]
        try send()
        row.count(bytes: Int64(piece.count))
        _ = try session.run([
            PostgreSQLStatement(
                """
                INSERT INTO anabranch.part(zone, digest, size, start, bytes)
                VALUES ($1, $2, $3, $4, $5)
                """, name + [.integer(Int64(start)), .bytes(piece)], changing: 1),
            PostgreSQLStatement(
                """
                UPDATE anabranch.stage SET held = $4, touched = $5
                WHERE zone = $1 AND digest = $2 AND size = $3
                """, stage),
            PostgreSQLStatement(
                """
                INSERT INTO anabranch.stage(zone, digest, size, held, touched)
                SELECT $1::text, $2::bytea, $3::bigint, $4::bigint, $5::bigint
                WHERE NOT EXISTS (SELECT 1 FROM anabranch.stage
                    WHERE zone = $1 AND digest = $2 AND size = $3)
                """, stage),
        ])
    }

    func putInLog(_ parts: [SavePart], at position: UInt64) throws {
        guard !parts.isEmpty else { return }
        let names = Self.parameters(zone, Set(parts))
        try send()
        _ = try session.run([
            PostgreSQLStatement(
                """
                INSERT INTO anabranch.log_part(zone, digest, size, position)
                SELECT $1, digest, size, $4::bigint
                FROM unnest($2::bytea[], $3::bigint[]) AS new(digest, size)
                """, names + [.integer(Int64(clamping: position))]),
            Self.unstaging(names),
        ])
    }

    func dropStaged(_ parts: [SavePart]) throws {
        guard !parts.isEmpty else { return }
        let names = Self.parameters(zone, Set(parts))
        try send()
        _ = try session.run(Self.unstaging(names))
        try removeUnused(names)
    }

    func dropStaged(untouchedSince wallMilliseconds: Int64) throws {
        try dropStaged(
            try parts(
                in: query(
                    "SELECT digest, size FROM anabranch.stage WHERE zone = $1 AND touched < $2",
                    .integer(wallMilliseconds))))
    }

    /// Removes the parts of the log's entries up to a position, unless they are used otherwise.
    func forgetParts(through position: UInt64) throws {
        let parts = try parts(
            in: query(
                """
                DELETE FROM anabranch.log_part WHERE zone = $1 AND position <= $2
                RETURNING digest, size
                """, .integer(Int64(clamping: position))))
        if !parts.isEmpty { try removeUnused(Self.parameters(zone, Set(parts))) }
    }

    /// Reads the columns digest and size.
    private func parts(in rows: PostgreSQLRows) throws -> [SavePart] {
        try rows.map {
            SavePart(
                digest: try $0.digest(at: 0), byteCount: Int(clamping: try $0.unsigned(at: 1)))
        }
    }

    private static func parameters(_ zone: String, _ parts: Set<SavePart>) -> [PostgreSQLValue] {
        let parts = Array(parts)
        return [
            .text(zone), .blobs(parts.map(\.digest.bytes)),
            .integers(parts.map { Int64($0.byteCount) }),
        ]
    }

    private static func unstaging(_ names: [PostgreSQLValue]) -> PostgreSQLStatement {
        PostgreSQLStatement(
            """
            DELETE FROM anabranch.stage AS s
            USING unnest($2::bytea[], $3::bigint[]) AS p(digest, size)
            WHERE s.zone = $1 AND s.digest = p.digest AND s.size = p.size
            """, Array(names.prefix(3)))
    }

    /// Removes those of some parts that the log does not list and no client is sending.
    private func removeUnused(_ names: [PostgreSQLValue]) throws {
        let unused = """
            WHERE p.zone = $1 AND p.digest = n.digest AND p.size = n.size
            AND NOT EXISTS (SELECT 1 FROM anabranch.log_part l
                WHERE l.zone = $1 AND l.digest = n.digest AND l.size = n.size)
            AND NOT EXISTS (SELECT 1 FROM anabranch.stage s
                WHERE s.zone = $1 AND s.digest = n.digest AND s.size = n.size)
            """
        let named = "unnest($2::bytea[], $3::bigint[]) AS n(digest, size)"
        let results = try session.run([
            PostgreSQLStatement(
                """
                SELECT coalesce(sum(octet_length(p.bytes)), 0)::bigint
                FROM \(named) CROSS JOIN anabranch.part AS p \(unused)
                """, names),
            PostgreSQLStatement("DELETE FROM anabranch.part AS p USING \(named) \(unused)", names),
        ])
        try uncount(results[0])
    }
}
