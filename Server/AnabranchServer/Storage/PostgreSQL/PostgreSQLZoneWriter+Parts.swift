import AnabranchReplication

extension PostgreSQLZoneWriter {
    func append(
        _ piece: [UInt8], to part: SavePart, at start: Int, wallMilliseconds: Int64
    ) throws {
        let stage =
            [.text(zone)] + part.name
            + [.integer(Int64(start + piece.count)), .integer(wallMilliseconds)]
        let pieces = ZoneRows.pieces([PartPiece(part: part, start: start, bytes: piece)])
        _ = try run(
            ZoneChanges(inserted: [pieces]).statements(for: zone) + [
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

    func putInLog(_ parts: Set<SavePart>, at position: UInt64) throws {
        let rows = ZoneRows.logParts(parts.map { ($0, position) })
        _ = try run(
            ZoneChanges(inserted: [rows]).statements(for: zone) + [unstaging(parameters(parts))])
    }

    func dropStaged(_ parts: Set<SavePart>) throws -> Int64 {
        let names = parameters(parts)
        return try removeUnused(names, after: unstaging(names))
    }

    func staged(untouchedSince wallMilliseconds: Int64) throws -> [SavePart] {
        try query(
            "SELECT digest, size FROM anabranch.stage WHERE zone = $1 AND touched < $2",
            .integer(wallMilliseconds)
        ).map { try $0.part() }
    }

    func forgetChangeSets(after start: UInt64, through position: UInt64) throws -> Int64 {
        let last = PostgreSQLValue.integer(Int64(clamping: position))
        let forgotten = "zone = $1 AND position > $2 AND position <= $3 AND kind IN ($4, $5)"
        let parameters: [PostgreSQLValue] = [
            .text(zone), .integer(Int64(clamping: start)), last,
            .integer(Int64(LogEntryKind.save.rawValue)),
            .integer(Int64(LogEntryKind.saveInParts.rawValue)),
        ]
        let results = try run([
            PostgreSQLStatement(
                """
                SELECT coalesce(sum(octet_length(change_set)), 0)::bigint FROM anabranch.log
                WHERE \(forgotten)
                """, parameters),
            PostgreSQLStatement(
                "UPDATE anabranch.log SET change_set = '' WHERE \(forgotten)", parameters),
            PostgreSQLStatement(
                """
                DELETE FROM anabranch.log_part WHERE zone = $1 AND position <= $2
                RETURNING digest, size
                """, .text(zone), last),
        ])
        let removed = results[0].first?.int64(at: 0) ?? 0
        let parts = Set(try results[2].map { try $0.part() })
        return parts.isEmpty ? removed : try removed + removeUnused(self.parameters(parts))
    }

    private func parameters(_ parts: Set<SavePart>) -> [PostgreSQLValue] {
        let parts = Array(parts)
        return [
            .text(zone), .blobs(parts.map(\.digest.bytes)),
            .integers(parts.map { Int64($0.byteCount) }),
        ]
    }

    private func unstaging(_ names: [PostgreSQLValue]) -> PostgreSQLStatement {
        PostgreSQLStatement(
            """
            DELETE FROM anabranch.stage AS s
            USING unnest($2::bytea[], $3::bigint[]) AS p(digest, size)
            WHERE s.zone = $1 AND s.digest = p.digest AND s.size = p.size
            """, names)
    }

    /// Removes those of some parts that the log does not list and no client is sending.
    ///
    /// - Returns: The number of removed bytes.
    private func removeUnused(
        _ names: [PostgreSQLValue], after statements: PostgreSQLStatement...
    ) throws -> Int64 {
        let unused = """
            WHERE p.zone = $1 AND p.digest = n.digest AND p.size = n.size
            AND NOT EXISTS (SELECT 1 FROM anabranch.log_part l
                WHERE l.zone = $1 AND l.digest = n.digest AND l.size = n.size)
            AND NOT EXISTS (SELECT 1 FROM anabranch.stage s
                WHERE s.zone = $1 AND s.digest = n.digest AND s.size = n.size)
            """
        let named = "unnest($2::bytea[], $3::bigint[]) AS n(digest, size)"
        let results = try run(
            statements + [
                PostgreSQLStatement(
                    """
                    SELECT coalesce(sum(octet_length(p.bytes)), 0)::bigint
                    FROM \(named) CROSS JOIN anabranch.part AS p \(unused)
                    """, names),
                PostgreSQLStatement(
                    "DELETE FROM anabranch.part AS p USING \(named) \(unused)", names),
            ])
        return results[statements.count].first?.int64(at: 0) ?? 0
    }
}
