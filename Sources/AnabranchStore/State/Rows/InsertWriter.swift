import AnabranchReplication
import AnabranchSQLite

/// Writes the rows of one insertion, several with one statement if there are enough of them, which
/// takes three quarters of the time of single statements.
///
/// If a multi-row statement fails, the rows before the failed one stay: the transaction must then
/// fail too.
struct InsertWriter: ~Copyable {
    /// The statement to which the values of the current row are bound.
    private(set) var statement: Statement
    private let one: Statement
    private let many: Statement?
    private let connection: Connection
    private let table: TableLayout
    private let position: Int64
    /// The parameters of the first row's columns.
    private let parameters: [Int]
    /// The number of parameters of a row after the first one: its ID, then its columns.
    private let width: Int
    /// The rows that were begun and not written yet.
    private var ids: [LocalID] = []
    /// The number of rows that the statement writes.
    private var count = 0
    /// The number of rows that were not begun yet.
    private var left: Int

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - rowCount: The number of rows that will be begun.
    ///   - writes: The writes of every row.
    init(
        _ columns: [TableLayout.Column], of layout: EntityLayout, rowCount: Int,
        writes: RowWrites, _ connection: Connection
    ) throws {
        let (table, isWhole) = (layout.table, layout.hasColumns(columns))
        let one = try connection.cached(
            isWhole
                ? layout.insertSQL : EntityLayout.insertSQL(table: table, columns: columns))
        try Self.bind(writes, to: one, layout)
        let many =
            rowCount < TableLayout.rowsAtOnce
            ? nil
            : try connection.cached(EntityLayout.insertSQLOfMany(table: table, columns: columns))
        if let many { try Self.bind(writes, to: many, layout) }
        parameters = isWhole ? layout.insertParameters : layout.insertParameters(of: columns)
        width = columns.reduce(1) { $0 + $1.names.count }
        left = rowCount
        self.table = table
        position = writes.version.position
        self.connection = connection
        (self.one, self.many) = (one, many)
        statement = one
    }

    private static func bind(
        _ writes: RowWrites, to statement: Statement, _ layout: EntityLayout
    ) throws {
        try statement.bind(writes, at: 2, layout.table.added)
        if layout.table.hasDiscriminator { try statement.bind(layout.number, at: 4) }
    }

    mutating func begin(_ id: LocalID) throws {
        if ids.isEmpty { chooseStatement() }
        try statement.bind(id, at: ids.isEmpty ? 1 : parameters[0] - 1 + ids.count * width)
        ids.append(id)
        left -= 1
    }

    /// The first parameter of a column of the current row. A column that is not the last has the
    /// parameters up to that of the next one.
    func parameter(ofColumn index: Int) -> Int { parameters[index] + (ids.count - 1) * width }

    /// Writes the begun rows if the statement has all its rows.
    mutating func end() throws {
        guard ids.count == count else { return }
        try statement.run()
        ids.removeAll(keepingCapacity: true)
    }

    /// The row at which `end()` has failed because its ID is taken.
    var repeatedRow: LocalID? { ids.dropFirst(connection.changes).first }

    /// The row at which `end()` has failed because it is too large.
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
