import AnabranchReplication
import AnabranchSQLite

/// Writes the rows of one insertion, many with one statement as long as there are enough of them,
/// in three quarters of the time that statements of a row each take.
///
/// A statement of many that fails leaves the rows before the one at fault: the save must fail then.
struct InsertWriter {
    /// Takes the row that was begun last.
    private(set) var statement: Statement
    private let one: Statement
    private let many: Statement?
    private let connection: Connection
    private let table: TableLayout
    private let position: Int64
    /// Of the first row's columns.
    private let parameters: [Int]
    /// How many parameters a row behind the first one has: its ID, then its columns.
    private let width: Int
    /// The rows that were begun and not written yet.
    private var ids: [LocalID] = []
    /// How many rows the statement is to write.
    private var count = 0
    /// How many rows have not been begun.
    private var left: Int

    /// - Parameters:
    ///   - rowCount: How many will be begun.
    ///   - writes: Of every row.
    init(
        _ columns: [TableLayout.Column], of layout: EntityLayout, rowCount: Int,
        writes: RowWrites, _ connection: Connection
    ) throws {
        let first = layout.firstColumnParameter
        parameters = TableLayout.parameters(of: columns, from: first)
        width = columns.reduce(1) { $0 + $1.names.count }
        left = rowCount
        table = layout.table
        position = writes.version.position
        self.connection = connection
        one = try connection.cached(
            columns.count == layout.columns.count
                ? layout.insertSQL : EntityLayout.insertSQL(table: table, columns: columns))
        many =
            rowCount < TableLayout.rowsAtOnce
            ? nil
            : try connection.cached(EntityLayout.insertSQLOfMany(table: table, columns: columns))
        statement = one
        for statement in [one, many].compactMap(\.self) {
            try statement.bind(writes, at: 2)
            if table.hasDiscriminator { try statement.bind(layout.number, at: 4) }
        }
    }

    mutating func begin(_ id: LocalID) throws {
        if ids.isEmpty { chooseStatement() }
        try statement.bind(id, at: ids.isEmpty ? 1 : parameters[0] - 1 + ids.count * width)
        ids.append(id)
        left -= 1
    }

    func parameter(ofColumn index: Int) -> Int { parameters[index] + (ids.count - 1) * width }

    /// Writes the rows that were begun where the statement has all of them.
    mutating func end() throws {
        guard ids.count == count else { return }
        try statement.run()
        ids.removeAll(keepingCapacity: true)
    }

    /// The row at which ``end()`` has failed.
    func rowAtFault() throws -> LocalID? {
        try ids.first { try !table.hasRow($0, writtenAt: position, connection) }
    }

    private mutating func chooseStatement() {
        if let many, left >= TableLayout.rowsAtOnce {
            (statement, count) = (many, TableLayout.rowsAtOnce)
        } else {
            (statement, count) = (one, 1)
        }
    }
}
