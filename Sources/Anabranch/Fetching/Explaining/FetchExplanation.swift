import AnabranchModel
package import AnabranchReplication
import AnabranchStore

/// How the store answers a request: its SQL, SQLite's plan, and what they cost.
///
/// ```swift
/// print(try request.explain(in: context))
/// ```
public struct FetchExplanation: Sendable {
    /// The statement, with a question mark for each parameter.
    public let sql: String
    /// The values of the parameters in the order of the text.
    package let bindings: [PropertyValue]
    /// SQLite's plan, a step in each line. A step inside another is indented below it.
    public let plan: [String]
    /// The number of rows that were found.
    public let rowCount: Int
    /// The number of rows of tables and indexes that were read from the first to the last.
    ///
    /// SQLite counts neither the rows that an index led to nor what it reads in an index of words.
    /// Only a SQLite that is built with `SQLITE_ENABLE_STMT_SCANSTATUS` counts all visited rows,
    /// and that of Debian is not. ``stepCount`` grows with them.
    public let scannedRowCount: Int
    /// The number of instructions that SQLite's virtual machine executed. It grows with all rows
    /// that were visited, and does not depend on the speed of the machine.
    public let stepCount: Int
    /// The number of sorts that no index has saved.
    package let sortCount: Int
    /// The time for all rows, without making objects of them.
    package let duration: Duration
    /// The indexes that, together, would save the scan of a large table; empty without such a scan,
    /// and if no index helps. SQLite has planned the request with them.
    package let advice: [IndexAdvice]

    /// True if the statement searches an index of words. What SQLite reads in it is not counted.
    package var searchesWords: Bool { sql.contains(" MATCH ?") }
}

extension FetchExplanation: CustomStringConvertible {
    /// The explanation in lines.
    public var description: String {
        var lines = [sql]
        if !bindings.isEmpty {
            lines.append("with " + bindings.map { "\($0)" }.joined(separator: ", "))
        }
        lines += plan.map { "  " + $0 }
        let searched = searchesWords ? " found by an index of words" : ""
        let isCounted = !searchesWords || scannedRowCount > 0
        let scanned = isCounted ? ", \(scannedRowCount) rows scanned" : ""
        lines.append(
            "\(rowCount) rows\(searched)\(scanned), \(sortCount) sorts, \(stepCount) steps, "
                + "\((duration / .microseconds(100)).rounded() / 10) ms")
        lines += advice.map(\.description)
        return lines.joined(separator: "\n")
    }
}

extension FetchRequest {
    /// Runs the request in the store and returns how it was answered.
    ///
    /// Unsaved changes are not considered.
    ///
    /// - Throws: The errors of ``ManagedObjectContext/fetch(_:)->[Object]``.
    public func explain(in context: ManagedObjectContext) throws -> FetchExplanation {
        context.checkQueue()
        return try context.explain(FetchPlan(self, in: context).query(), nil)
    }
}

extension RowRequest {
    /// Runs the request and returns how it was answered.
    ///
    /// - Throws: The errors of ``ManagedObjectContext/fetch(_:)->[FetchedRow]``.
    public func explain(in context: ManagedObjectContext) throws -> FetchExplanation {
        let plan = try RowPlan(self, in: context)
        return try context.explain(plan.query, plan.rows)
    }
}

extension ManagedObjectContext {
    fileprivate func explain(
        _ query: FetchQuery, _ rows: ResolvedRows?
    ) throws -> FetchExplanation {
        let (explained, advice) = try onRoot { root in
            try root.readStore { reader in
                let explained = try reader.explain(query, rows)
                let advice = try IndexSearch(query, explained.plan)
                    .advice(for: explained) { try reader.indexTrial(of: query, rows) }
                return (explained, advice)
            }
        }
        return FetchExplanation(
            sql: explained.sql, bindings: explained.bindings, plan: explained.plan,
            rowCount: explained.rowCount, scannedRowCount: explained.scannedRowCount,
            stepCount: explained.stepCount, sortCount: explained.sortCount,
            duration: explained.duration, advice: advice)
    }
}
