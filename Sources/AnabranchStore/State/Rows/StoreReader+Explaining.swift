package import AnabranchModel
package import AnabranchReplication
import AnabranchSQLite

/// How the store answers a query.
package struct ExplainedQuery: Sendable {
    package let sql: String
    /// The values of the parameters in the order of the text.
    package let bindings: [PropertyValue]
    /// SQLite's plan, a step in each line. A step inside another is indented below it.
    package let plan: [String]
    package let rowCount: Int
    /// The rows of tables and indexes that were read from the first to the last.
    package let scannedRowCount: Int
    package let sortCount: Int
    /// The instructions of SQLite's virtual machine.
    package let stepCount: Int
    package let duration: Duration
}

extension StoreReader {
    /// Runs a query, drops its rows and returns how it was answered.
    ///
    /// - Parameter rows: The columns and groups of a request for values; `nil` for objects.
    package func explain(_ query: FetchQuery, _ rows: ResolvedRows?) throws -> ExplainedQuery {
        let fetch = try explainedStatement(query, rows)
        let plan = try connection.plan(of: fetch)
        let statement = try prepared(fetch)
        for counter in [Statement.Counter.scannedRows, .sorts, .steps] {
            _ = statement.takeCount(of: counter)
        }
        var count = 0
        let start = ContinuousClock.now
        while try step(statement) { count += 1 }
        return ExplainedQuery(
            sql: fetch.sql, bindings: fetch.bindings, plan: plan, rowCount: count,
            scannedRowCount: statement.takeCount(of: .scannedRows),
            sortCount: statement.takeCount(of: .sorts),
            stepCount: statement.takeCount(of: .steps), duration: ContinuousClock.now - start)
    }

    func explainedStatement(_ query: FetchQuery, _ rows: ResolvedRows?) throws -> FetchStatement {
        let selection: FetchStatement.Selection =
            rows.map { .values($0) }
            ?? .rows(schema.rowSelection(of: query.entity).terms)
        return try fetchStatement(query, selecting: selection)
    }
}

extension Connection {
    /// Returns SQLite's plan of a fetch, a step in each line. A step inside another is indented
    /// below it.
    func plan(of fetch: FetchStatement) throws -> [String] {
        let statement = try prepare("EXPLAIN QUERY PLAN \(fetch.sql)")
        for (index, value) in fetch.bindings.enumerated() {
            try statement.bind(slot: value, at: index + 1)
        }
        var depths: [Int64: Int] = [:]
        var lines: [String] = []
        while try statement.step() {
            let depth = depths[statement.int64(at: 1)].map { $0 + 1 } ?? 0
            depths[statement.int64(at: 0)] = depth
            lines.append(String(repeating: "  ", count: depth) + statement.string(at: 3))
        }
        return lines
    }
}
