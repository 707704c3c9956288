import AnabranchReplication
import AnabranchSQLite

extension TableLayout {
    /// The number of rows that one multi-row statement writes.
    static let rowsAtOnce = 16

    /// A statement that updates many rows, in a third of the time that one statement for each row
    /// takes.
    ///
    /// The statement would insert a row that does not exist: make sure that all rows exist, or
    /// check afterwards. Its parameters are those of the rows, one row after the other, each with
    /// its ID first.
    ///
    /// - Parameters:
    ///   - columns: The columns that each row provides, available as `excluded`.
    ///   - assignments: The assignments that change a row.
    ///   - condition: Restricts which rows are updated; `nil` for all.
    func updateSQL(
        _ columns: [String], assigning assignments: [String], where condition: String? = nil
    ) -> String {
        let marks = Array(repeating: "?", count: columns.count + 1).joined(separator: ", ")
        let rows = Array(repeating: "(\(marks))", count: Self.rowsAtOnce)
        return """
            INSERT INTO \(name) (\((["ab_pk"] + columns).joined(separator: ", ")))
            VALUES \(rows.joined(separator: ", ")) ON CONFLICT (ab_pk) DO UPDATE
            SET \(assignments.joined(separator: ", "))\(condition.map { " WHERE " + $0 } ?? "")
            """
    }

    /// True if the present row of a record was written by the change set at a local position.
    func hasRow(_ id: LocalID, writtenAt position: Int64, _ connection: Connection) throws -> Bool {
        try connection.cached(
            "SELECT 1 FROM \(name) WHERE ab_pk = ? AND ab_version = ?", id, position
        ).step()
    }
}
