package import AnabranchReplication
import AnabranchSQLite

extension SQLiteZoneWriter {
    package func append(
        _ piece: [UInt8], to part: SavePart, at start: Int, wallMilliseconds: Int64
    ) throws {
        let pieces = ZoneRows.pieces([PartPiece(part: part, start: start, bytes: piece)])
        try write(ZoneChanges(inserted: [pieces]))
        let stage = try connection.cached(
            "INSERT OR REPLACE INTO stage(digest, size, held, touched) VALUES (?, ?, ?, ?)")
        try stage.bind(part)
        try stage.bind(Int64(start + piece.count), at: 3)
        try stage.bind(wallMilliseconds, at: 4)
        try stage.run()
    }

    package func putInLog(_ parts: Set<SavePart>, at position: UInt64) throws {
        try write(ZoneChanges(inserted: [.logParts(parts.map { ($0, position) })]))
        try unstage(parts)
    }

    private func unstage(_ parts: Set<SavePart>) throws {
        try forEach(parts, "DELETE FROM stage WHERE digest = ? AND size = ?") { try $0.bind($1) }
    }

    package func dropStaged(_ parts: Set<SavePart>) throws -> Int64 {
        try unstage(parts)
        return try parts.reduce(0) { try $0 + removeIfUnused($1) }
    }

    package func staged(untouchedSince wallMilliseconds: Int64) throws -> [SavePart] {
        try parts("SELECT digest, size FROM stage WHERE touched < \(wallMilliseconds)")
    }

    package func forgetChangeSets(after start: UInt64, through position: UInt64) throws -> Int64 {
        let last = Int64(clamping: position)
        let forgotten =
            "position > \(Int64(clamping: start)) AND position <= \(last) "
            + "AND kind IN (\(LogEntryKind.save.rawValue), \(LogEntryKind.saveInParts.rawValue))"
        let removed = try connection.integer(
            "SELECT coalesce(sum(length(change_set)), 0) FROM log WHERE \(forgotten)")
        try connection.execute("UPDATE log SET change_set = x'' WHERE \(forgotten)")
        let parts = try parts(
            "SELECT DISTINCT digest, size FROM log_part WHERE position <= \(last)")
        try connection.run("DELETE FROM log_part WHERE position <= ?", .integer(last))
        return try parts.reduce(removed) { try $0 + removeIfUnused($1) }
    }

    private func parts(_ sql: String) throws -> [SavePart] {
        let rows = try connection.prepare(sql)
        var parts: [SavePart] = []
        while try rows.step() { parts.append(try rows.part()) }
        return parts
    }

    /// Removes a part that the log does not list and no client is sending.
    ///
    /// - Returns: The number of removed bytes.
    private func removeIfUnused(_ part: SavePart) throws -> Int64 {
        let use = try connection.cached(
            """
            SELECT 1 FROM log_part WHERE digest = ?1 AND size = ?2
            UNION ALL SELECT 1 FROM stage WHERE digest = ?1 AND size = ?2
            """)
        try use.bind(part)
        let isUsed = try use.step()
        use.reset()
        guard !isUsed else { return 0 }
        let size = try connection.cached(
            "SELECT coalesce(sum(length(bytes)), 0) FROM part WHERE digest = ? AND size = ?")
        try size.bind(part)
        let removed = try size.step() ? size.int64(at: 0) : 0
        size.reset()
        try forEach([part], "DELETE FROM part WHERE digest = ? AND size = ?") { try $0.bind($1) }
        return removed
    }
}
