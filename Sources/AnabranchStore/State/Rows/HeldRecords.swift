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
        try connection.cached("SELECT 1 FROM \(table.name) WHERE ab_pk = ?", id).step()
    }

    /// One of some new records that already exists; `nil` if none does.
    ///
    /// - Parameter table: A table that need not be searched, because its primary key finds
    ///   duplicates.
    func duplicate(among ids: [LocalID], notIn table: TableLayout? = nil) throws -> LocalID? {
        let search = Search(ids)
        let others = tables.filter { $0 !== table }
        if let range = search.range, !others.isEmpty {
            for sql in searches {
                if let found = try search.first(of: sql, in: range, connection) { return found }
            }
        } else {
            for other in others {
                if let found = try search.first(in: other.name, "ab_pk", connection) {
                    return found
                }
            }
        }
        guard !deferred.isEmpty else { return nil }
        return try search.first(in: "ab_deferred_record", "record", connection)
    }
}

/// A search for some records in one table after the other.
private final class Search {
    private let ids: [LocalID]
    /// The least and the greatest ID, if at least one of 16 IDs between them is searched; `nil` if
    /// a table may have many others between them.
    let range: ClosedRange<LocalID>?
    /// The records as a set and as JSON, made only when they are needed, which is rare.
    private lazy var all = Set(ids)
    private lazy var json = SQL.json(ids)

    private static let widestGap: LocalID = 16

    init(_ ids: [LocalID]) {
        self.ids = ids
        range = ids.min().flatMap { least in
            let greatest = ids.max() ?? least
            let (span, overflow) = greatest.subtractingReportingOverflow(least)
            return !overflow && span / Self.widestGap < LocalID(ids.count)
                ? least...greatest : nil
        }
    }

    /// One of the records that a table has; `nil` if it has none.
    func first(in table: String, _ key: String, _ connection: Connection) throws -> LocalID? {
        if let range {
            let sql = "SELECT \(key) FROM \(table) WHERE \(key) BETWEEN ?1 AND ?2"
            return try first(of: sql, in: range, connection)
        }
        guard !ids.isEmpty else { return nil }
        let statement = try connection.cached(
            "SELECT \(key) FROM \(table) WHERE \(key) IN (SELECT value FROM json_each(?))", json)
        return try first(of: statement)
    }

    /// One of the records that a statement finds between two IDs; `nil` if it finds none.
    func first(
        of sql: String, in range: ClosedRange<LocalID>, _ connection: Connection
    ) throws -> LocalID? {
        let statement = try connection.cached(sql, range.lowerBound, range.upperBound)
        return try first(of: statement)
    }

    private func first(of statement: Statement) throws -> LocalID? {
        defer { statement.reset() }
        while try statement.step() {
            let found = statement.int64(at: 0)
            if all.contains(found) { return found }
        }
        return nil
    }
}
