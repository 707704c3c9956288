import AnabranchModel
public import AnabranchReplication
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
    public let bindings: [Value]
    /// SQLite's plan, a step in each line. A step inside another is indented below it.
    public let plan: [String]
    /// The number of rows that were found.
    public let rowCount: Int
    /// The number of rows of tables and indexes that were read from the first to the last. Rows
    /// that an index led to are not counted.
    public let scannedRowCount: Int
    /// The number of sorts that no index has saved.
    public let sortCount: Int
    /// The time for all rows, without making objects of them.
    public let duration: Duration
    /// The index that would save the scan of a large table; `nil` if there is none, or no scan.
    public let advice: IndexAdvice?
}

extension FetchExplanation: CustomStringConvertible {
    /// The explanation in lines.
    public var description: String {
        var lines = [sql]
        if !bindings.isEmpty {
            lines.append("with " + bindings.map { "\($0)" }.joined(separator: ", "))
        }
        lines += plan.map { "  " + $0 }
        lines.append(
            "\(rowCount) rows, \(scannedRowCount) rows scanned, \(sortCount) sorts, "
                + "\((duration / .microseconds(100)).rounded() / 10) ms")
        if let advice { lines.append("\(advice)") }
        return lines.joined(separator: "\n")
    }
}

/// An index that would save a request the scan of a table.
public struct IndexAdvice: Hashable, Sendable {
    /// The name of the entity that should declare the index.
    public let entity: String
    /// The properties, the leading one first.
    public let properties: [String]

    /// The line of the entity's declaration: `Index("age_name", on: "age", "name")`.
    public var declaration: String {
        let names = properties.map { "\"\($0)\"" }.joined(separator: ", ")
        return "Index(\"\(properties.joined(separator: "_"))\", on: \(names))"
    }
}

extension IndexAdvice: CustomStringConvertible {
    /// The advice as a sentence.
    public var description: String {
        "The whole table is read. An index of \(entity) would lead to the rows: \(declaration)"
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
        let explained = try onRoot { root in try root.readStore { try $0.explain(query, rows) } }
        return FetchExplanation(
            sql: explained.sql, bindings: explained.bindings, plan: explained.plan,
            rowCount: explained.rowCount, scannedRowCount: explained.scannedRowCount,
            sortCount: explained.sortCount, duration: explained.duration,
            advice: IndexAdvice(query, explained))
    }
}
