import AnabranchReplication
import AnabranchSQLite

/// The repair queue: records with a state that may differ from the log, until the zone has sent
/// their state.
///
/// A record stays in the queue from the transaction that causes the difference to the one that
/// repairs it.
struct RepairQueue {
    let connection: Connection

    /// Adds records to the repair queue.
    ///
    /// - Parameter position: The local position from which merged results may differ from the log.
    func add(_ ids: Set<LocalID>, since position: Int64) throws {
        guard !ids.isEmpty else { return }
        try add(ids)
        try connection.setMeta(
            Self.since, .integer(position), joining: "min(value, excluded.value)")
    }

    /// The local position from which the journal must be revised once the queue is empty; `nil` if
    /// no entry of the log was changed.
    func since() throws -> Int64? { try connection.metaNumber(Self.since) }

    func add(_ ids: some Sequence<LocalID>) throws {
        let statement = try connection.cached("INSERT OR IGNORE INTO ab_debt (record) VALUES (?)")
        for id in ids {
            try statement.bind(id, at: 1)
            try statement.run()
        }
    }

    /// Adds every synced record that this file holds, visible or not.
    func addEverything(in schema: StoreSchema) throws {
        for table in schema.syncedTables {
            try connection.run(
                "INSERT OR IGNORE INTO ab_debt (record) SELECT ab_pk FROM \(table.name)")
        }
        try connection.run(
            "INSERT OR IGNORE INTO ab_debt (record) SELECT record FROM ab_deferred_record")
    }

    func remove(_ ids: some Sequence<LocalID>) throws {
        let statement = try connection.cached("DELETE FROM ab_debt WHERE record = ?")
        for id in ids {
            try statement.bind(id, at: 1)
            try statement.run()
        }
        guard try first(1).isEmpty else { return }
        try removeReasons()
    }

    func removeAll() throws {
        try connection.execute("DELETE FROM ab_debt")
        try removeReasons()
    }

    private func removeReasons() throws {
        for key in [Self.unexplained, Self.since] { try connection.setMeta(key, nil) }
    }

    /// True if a verification has added records that still wait for repair.
    func areUnexplained() throws -> Bool {
        try connection.meta(Self.unexplained) != nil
    }

    func markUnexplained() throws { try connection.setMeta(Self.unexplained, []) }

    private static let unexplained = "verification.debts"
    private static let since = "repair.since"

    func first(_ limit: Int) throws -> [LocalID] {
        try connection.cached(
            "SELECT record FROM ab_debt ORDER BY record LIMIT ?", Int64(limit)
        ).map { $0.int64(at: 0) }
    }
}
