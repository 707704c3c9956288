import AnabranchReplication

/// The update of some columns of an entity's records: its statements, and what it adds to a change
/// set. It is made once for each set of columns.
final class UpdateLayout: Sendable {
    let columns: [TableLayout.Column]
    /// The parameters of the first row's columns; its ID is the parameter before them.
    let parameters: [Int]
    /// The number of parameters of a row.
    let width: Int
    /// The columns as properties of a block, without those with a merge rule that writes something
    /// else.
    let block: BlockMapping
    /// True if a column's merge rule depends on the held value.
    let hasMergeRules: Bool
    /// True if a column has positions in a list, so that each row is written alone.
    let hasPositions: Bool
    /// The numbers of the columns, as `ab_written` reads them.
    let numbers: [UInt8]
    let sql: String
    /// Updates ``TableLayout/rowsAtOnce`` rows.
    let sqlOfMany: String

    init(_ columns: [TableLayout.Column], of table: TableLayout) {
        let names = columns.flatMap(\.names)
        self.columns = columns
        parameters = TableLayout.parameters(of: columns, from: 2)
        width = names.count + 1
        block = BlockMapping(columns, where: \.isRegister)
        hasMergeRules = columns.contains { !$0.isRegister || $0.rule != .lastWriter }
        hasPositions = columns.contains { $0.position != nil }
        var numbers = ByteWriter()
        for column in columns { numbers.append(count: column.number) }
        self.numbers = numbers.bytes
        sql = Self.sql(table, names)
        sqlOfMany = Self.sqlOfMany(table, names)
    }

    private static func sql(_ table: TableLayout, _ names: [String]) -> String {
        let assignments = names.enumerated().map { "\($1) = ?\($0 + 2)" }
        let last = names.count + 1
        return """
            UPDATE \(table.name)
            SET \((assignments + versionAssignments(behind: last)).joined(separator: ", "))
            WHERE ab_pk = ?1 AND ab_version = ?\(last + 4)
            """
    }

    private static func sqlOfMany(_ table: TableLayout, _ names: [String]) -> String {
        let last = TableLayout.rowsAtOnce * (names.count + 1)
        return table.updateSQL(
            names,
            assigning: names.map { "\($0) = excluded.\($0)" } + versionAssignments(behind: last),
            where: "ab_version = ?\(last + 4)")
    }

    /// The assignments to `ab_version` and `ab_writes`.
    ///
    /// Four parameters follow those of the rows: the new position, the numbers of the written
    /// columns, the `ab_writes` of a row that had none, and the old `ab_version`. Only the
    /// condition of the statement uses the last one.
    ///
    /// - Parameter last: The number of the rows' last parameter.
    private static func versionAssignments(behind last: Int) -> [String] {
        [
            "ab_version = ?\(last + 1)",
            """
            ab_writes = CASE WHEN ab_writes IS NULL THEN ?\(last + 3)
            ELSE ab_written(ab_writes, ab_version, ?\(last + 1), ?\(last + 2)) END
            """,
        ]
    }
}
