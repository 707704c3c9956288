import AnabranchReplication
import AnabranchSQLite

/// The table `ab_rejected` on one connection.
///
/// A rejected save has a row with `cause` NULL. Each later save that changed records which it had
/// inserted has a row with that row's number as `cause`.
struct RejectedSaves {
    let connection: Connection

    /// Adds a row.
    ///
    /// - Parameter cause: The row of the save that inserted the records in question; `nil` for a
    ///   rejected save.
    @discardableResult
    func add(
        _ set: ChangeSet, _ rejection: SaveRejection, cause: Int64? = nil, at milliseconds: Int64
    ) throws -> Int64 {
        try connection.run(
            """
            INSERT INTO ab_rejected (cause, origin, code, reason, noticed, change_set)
            VALUES (?, ?, ?, ?, ?, ?)
            """, cause.map { .integer($0) } ?? .null, .blob(set.origin.bytes),
            .text(rejection.code.rawValue), .text(rejection.reason), .integer(milliseconds),
            .blob(set.encoded()))
        return connection.lastInsertRowID
    }

    /// Removes the rows that list a save as the consequence of another, because it is now rejected
    /// itself.
    func removeConsequences(withOrigin origin: Digest) throws {
        try connection.run(
            "DELETE FROM ab_rejected WHERE origin = ? AND cause IS NOT NULL",
            .blob(origin.bytes))
    }

    /// Removes a rejected save that the zone has accepted after all.
    func remove(withOrigin origin: Digest) throws {
        if let id = try row(of: origin) { _ = try remove([id]) }
    }

    /// True if the table has a rejected save.
    func has(_ origin: Digest) throws -> Bool { try row(of: origin) != nil }

    private func row(of origin: Digest) throws -> Int64? {
        let row = try connection.firstValue(
            "SELECT id FROM ab_rejected WHERE origin = ? AND cause IS NULL",
            .blob(origin.bytes))
        guard case .integer(let id)? = row else { return nil }
        return id
    }

    /// Removes rejected saves.
    ///
    /// - Returns: The number of removed saves.
    func remove(_ ids: [Int64]) throws -> Int {
        let list = SQLiteValue.text(SQL.json(ids))
        try connection.run(
            "DELETE FROM ab_rejected WHERE cause IN (SELECT value FROM json_each(?))", list)
        try connection.run(
            """
            DELETE FROM ab_rejected WHERE cause IS NULL
            AND id IN (SELECT value FROM json_each(?))
            """, list)
        return connection.changes
    }

    func count() throws -> Int {
        let count = try connection.firstValue(
            "SELECT count(*) FROM ab_rejected WHERE cause IS NULL")
        guard case .integer(let count)? = count else { return 0 }
        return Int(count)
    }

    /// The rejected saves, newest first.
    ///
    /// - Parameter id: The number of one save; `nil` for all.
    func saves(_ id: Int64? = nil, parts: any PartReading & Sendable) throws -> [RejectedSave] {
        var consequences: [Int64: [ChangeSet]] = [:]
        var saves: [RejectedSave] = []
        let statement = try connection.cached(
            """
            SELECT id, cause, code, reason, noticed, change_set FROM ab_rejected
            WHERE ?1 IS NULL OR id = ?1 OR cause = ?1 ORDER BY cause IS NULL, id
            """)
        if let id { try statement.bind(id, at: 1) } else { try statement.bind(.null, at: 1) }
        while try statement.step() {
            let set = try ChangeSet(decoding: statement.bytes(at: 5))
            if !statement.isNull(at: 1) {
                consequences[statement.int64(at: 1), default: []].append(set)
                continue
            }
            saves.append(
                RejectedSave(
                    id: statement.int64(at: 0), changeSet: set,
                    consequences: consequences[statement.int64(at: 0)] ?? [],
                    rejection: SaveRejection(
                        SaveRejection.Code(rawValue: statement.string(at: 2)),
                        statement.string(at: 3)),
                    noticedMilliseconds: statement.int64(at: 4), parts: parts))
        }
        return saves.reversed()
    }

    /// Updates the mentions of renamed records.
    func rewrite(_ rewriting: Rewriting) throws {
        guard !rewriting.records.isEmpty else { return }
        for row in try connection.rows("SELECT id, change_set FROM ab_rejected") {
            guard case .integer(let id) = row[0], case .blob(let bytes) = row[1] else { continue }
            let set = try ChangeSet(decoding: bytes)
            let parts = PartTable(connection)
            guard let renamed = try? rewriting.rewritten(set, parts), renamed != set else {
                continue
            }
            try connection.run(
                "UPDATE ab_rejected SET change_set = ? WHERE id = ?", .blob(renamed.encoded()),
                .integer(id))
        }
    }
}
