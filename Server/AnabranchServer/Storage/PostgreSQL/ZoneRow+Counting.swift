extension ZoneRow {
    /// Counts the used bytes and records of a zone from an earlier version, once.
    mutating func count(through session: PostgreSQLSession, _ zone: String) throws {
        let counts = try session.run(
            PostgreSQLStatement(
                """
                SELECT (SELECT count(*) FROM anabranch.record WHERE zone = $1 AND dead = 0),
                    (SELECT coalesce(sum(octet_length(change_set)), 0)::bigint
                        FROM anabranch.log WHERE zone = $1)
                    + (SELECT coalesce(sum(octet_length(cells)
                            + coalesce(octet_length(seen), 0)), 0)::bigint
                        FROM anabranch.record WHERE zone = $1)
                    + (SELECT coalesce(sum(octet_length(tags)), 0)::bigint
                        FROM anabranch.link WHERE zone = $1)
                    + (SELECT coalesce(sum(octet_length(bytes)), 0)::bigint
                        FROM anabranch.part WHERE zone = $1)
                """, .text(zone))
        ).first
        records = counts?.int64(at: 0) ?? 0
        bytes = counts?.int64(at: 1) ?? 0
    }
}
