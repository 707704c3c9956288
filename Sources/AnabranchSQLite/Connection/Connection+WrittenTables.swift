import CSQLite

/// Some of the tables that a connection watches, by their places in its list.
public struct TableSet: OptionSet, Hashable, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

extension Connection {
    /// Watches from now on which of these tables the statements of this connection write, also by
    /// triggers. The tables need not exist.
    ///
    /// SQLite tells it when a statement is compiled. So cached statements are compiled again, and
    /// those that a caller holds now are not watched.
    ///
    /// - Parameter tables: At most 64 names of tables, which a ``TableSet`` has in their order.
    public func watchWrites(of tables: [String]) throws {
        let database = try openDatabase(to: "watch tables")
        watchedTables = Array(tables.prefix(UInt64.bitWidth))
        for entry in cache.removeIdle() { sqlite3_finalize(entry.prepared.handle) }
        sqlite3_set_authorizer(
            database,
            { context, action, table, _, _, _ in
                guard let context, let table,
                    [SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE].contains(action)
                else { return SQLITE_OK }
                Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue()
                    .noteWrite(of: String(cString: table))
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func noteWrite(of table: String) {
        guard let place = watchedTables.firstIndex(of: table) else { return }
        tablesInPreparation.insert(TableSet(rawValue: 1 << UInt64(place)))
    }

    /// Returns the watched tables that statements have begun to write since the last call.
    public func takeWrittenTables() -> TableSet {
        defer { writtenTables = [] }
        return writtenTables
    }
}
