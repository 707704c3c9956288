package import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// A database in memory that has the tables and indexes of a store and no rows, to learn what
/// SQLite would do with an index more.
///
/// SQLite plans a statement by the tables, their indexes and the statistics of ANALYZE. A store
/// has no such statistics, so the plan for the empty tables is the plan for those with rows.
package struct IndexTrial {
    /// The beginning of the names of the indexes that are tried.
    package static let name = "ab_trial_"

    private let connection: Connection
    private let schema: StoreSchema
    private let fetch: FetchStatement

    init(_ fetch: FetchStatement, in schema: StoreSchema) throws {
        self.fetch = fetch
        self.schema = schema
        connection = try Connection(path: ":memory:")
        try StoreFunctions.install(on: connection)
        try connection.execute(CoreTables.creation)
        for statement in schema.tableCreation + schema.indexes.map(\.creation)
            + schema.searchTables.flatMap(\.creation)
        {
            try connection.execute(statement)
        }
    }

    /// Returns the plan of the query as it would be with some more indexes.
    ///
    /// - Parameter indexes: The properties of each index, the leading one first; all of one
    ///   hierarchy of entities. The index n is named `ab_trial_n` in the plan.
    /// - Returns: `nil` if a property is not stored in a column.
    package func plan(adding indexes: [[PropertyDescription]]) throws -> [String]? {
        try connection.execute("BEGIN")
        defer { try? connection.execute("ROLLBACK") }
        for (number, properties) in indexes.enumerated() {
            guard let first = properties.first else { return nil }
            let table = schema.layout(of: first.entity).table
            let terms = properties.compactMap(table.term)
            guard terms.count == properties.count else { return nil }
            let index = TableIndex("\(Self.name)\(number)", on: table.name, terms)
            try connection.execute(index.creation)
        }
        return try connection.plan(of: fetch)
    }
}

extension StoreReader {
    /// Returns an empty copy of the store's tables, to try indexes for a query.
    package func indexTrial(of query: FetchQuery, _ rows: ResolvedRows?) throws -> IndexTrial {
        try IndexTrial(explainedStatement(query, rows), in: schema)
    }
}
