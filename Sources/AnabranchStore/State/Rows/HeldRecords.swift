import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// Checks whether records exist, in whatever table of a scope. A record is held once, and a link
/// only while both its ends are held (invariant 5).
struct HeldRecords {
    let connection: Connection
    let schema: StoreSchema
    let deferred: DeferredRows
    private let tables: [TableLayout]
    private let searches: [String]

    init(
        _ connection: Connection, schema: StoreSchema, deferred: DeferredRows,
        _ scope: RecordScope = .synced
    ) {
        self.connection = connection
        self.schema = schema
        self.deferred = deferred
        tables = schema.tables(scope)
        searches =
            scope == .synced
            ? schema.syncedRecordSearches : StoreSchema.recordSearches(tables)
    }

    /// True if a record is held.
    ///
    /// - Parameter entity: The entity of the table that is searched first, whatever its scope.
    func holds(_ id: LocalID, first entity: EntityDescription? = nil) throws -> Bool {
        let likely = entity.map { schema.layout(of: $0).table }
        if let likely, try holds(id, in: likely) { return true }
        for table in tables where table !== likely {
            if try holds(id, in: table) { return true }
        }
        return try deferred.holds(id)
    }

    /// The entity of a record that is held in a table of this model.
    func entity(of id: LocalID) throws -> EntityDescription? {
        let reader = StoreReader(connection, schema: schema)
        for table in tables {
            if let entity = try reader.entity(of: id, in: table.root) { return entity }
        }
        return nil
    }

    private func holds(_ id: LocalID, in table: TableLayout) throws -> Bool {
        let statement = try connection.cached("SELECT 1 FROM \(table.name) WHERE ab_pk = ?")
        try statement.bind(id, at: 1)
        return try statement.step()
    }

    /// The first new record that already exists.
    ///
    /// - Parameter table: A table that need not be searched, because its primary key finds
    ///   duplicates.
    func duplicate(
        among ids: [LocalID], notIn table: TableLayout? = nil
    ) throws -> LocalID? {
        guard let least = ids.min(), let greatest = ids.max() else { return nil }
        var new: Set<LocalID>?
        if tables.contains(where: { $0 !== table }) {
            for search in searches {
                let found = try duplicate(search, least, greatest, among: ids, &new)
                if let found { return found }
            }
        }
        guard !deferred.isEmpty else { return nil }
        return try duplicate(
            "SELECT record FROM ab_deferred_record WHERE record BETWEEN ? AND ?", least, greatest,
            among: ids, &new)
    }

    /// Searches one table for new records.
    ///
    /// - Parameter new: The new records as a set, built only when it is needed, which is rare.
    private func duplicate(
        _ sql: String, _ least: LocalID, _ greatest: LocalID, among ids: [LocalID],
        _ new: inout Set<LocalID>?
    ) throws -> LocalID? {
        let statement = try connection.cached(sql)
        try statement.bind(least, at: 1)
        try statement.bind(greatest, at: 2)
        while try statement.step() {
            let set = new ?? Set(ids)
            new = set
            if set.contains(statement.int64(at: 0)) { return statement.int64(at: 0) }
        }
        return nil
    }
}
