import AnabranchSQLite

/// The indexes of the tables with synced records.
///
/// A load into empty tables drops them and creates them again afterwards: creating an index at once
/// is faster than adding the rows to it one by one.
final class SyncedIndexes {
    private let connection: Connection
    private let schema: StoreSchema
    /// The statements that create the dropped indexes.
    private var dropped: [String] = []

    init(_ connection: Connection, schema: StoreSchema) {
        self.connection = connection
        self.schema = schema
    }

    /// Drops the indexes. Call ``createAgain()`` in the same transaction, before a query needs one
    /// of them.
    func drop() throws {
        let tables =
            schema.syncedTables.map(\.plainName) + schema.syncedLinkLayouts.map(\.plainName)
        let statement = try connection.prepare(
            """
            SELECT name, sql FROM sqlite_schema
            WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL
            """)
        var names: [String] = []
        for table in tables {
            try statement.bind(table, at: 1)
            while try statement.step() {
                names.append(statement.string(at: 0))
                dropped.append(statement.string(at: 1))
            }
        }
        for name in names { try connection.execute("DROP INDEX \(SQL.quoted(name))") }
    }

    /// Creates the indexes that are dropped, if there are any.
    func createAgain() throws {
        for creation in dropped { try connection.execute(creation) }
        dropped = []
    }

    /// Indicates whether no synced record has a row.
    func areEmpty() throws -> Bool {
        try schema.syncedTables.allSatisfy { table in
            try connection.firstValue("SELECT 1 FROM \(table.name) LIMIT 1") == nil
        }
    }
}
