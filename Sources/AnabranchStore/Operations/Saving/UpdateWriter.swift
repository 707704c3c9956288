import AnabranchSQLite

/// Writes the rows of one update, several with one statement if consecutive rows have the same
/// version.
///
/// A multi-row statement has the form of an insertion, so it inserts a row that was deleted
/// meanwhile, without a version. `end()` returns such a row like any other that has changed since
/// it was read, and the save must then fail.
struct UpdateWriter: ~Copyable {
    /// The statement to which the values of the current row are bound.
    private(set) var statement: Statement
    private let one: Statement
    private let many: Statement?
    private let connection: Connection
    private let table: TableLayout
    private let layout: UpdateLayout
    private let position: Int64
    /// The rows that were begun and not written yet.
    private(set) var ids: [LocalID] = []
    /// The number of rows that the statement writes.
    private var count = 0
    /// The versions with which the two statements compare.
    private var versions: (one: RowVersion?, many: RowVersion?)

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - rowCount: The number of rows.
    ///   - position: The local position of the change set that writes.
    ///   - areAlone: True if each row must be written before the next one is read.
    init(
        _ layout: UpdateLayout, of table: TableLayout, rowCount: Int, by position: Int64,
        _ connection: Connection, areAlone: Bool
    ) throws {
        let isAlone =
            areAlone || layout.hasPositions || rowCount < TableLayout.rowsAtOnce
        let one = try connection.cached(layout.sql)
        let many = isAlone ? nil : try connection.cached(layout.sqlOfMany)
        try Self.bind(layout, position, to: one, rows: 1)
        if let many { try Self.bind(layout, position, to: many, rows: TableLayout.rowsAtOnce) }
        (self.one, self.many) = (one, many)
        statement = one
        self.layout = layout
        self.connection = connection
        self.table = table
        self.position = position
    }

    private static func bind(
        _ layout: UpdateLayout, _ position: Int64, to statement: Statement, rows: Int
    ) throws {
        try statement.bind(position, at: rows * layout.width + 1)
        try statement.bind(layout.numbers, at: rows * layout.width + 2)
    }

    /// Begins a row.
    ///
    /// - Parameter versions: The versions of the rows when they were read.
    mutating func begin(_ id: LocalID, _ row: Int, of versions: [RowVersion]) throws {
        if ids.isEmpty { try chooseStatement(versions[row...]) }
        try statement.bind(id, at: ids.count * layout.width + 1)
        ids.append(id)
    }

    func parameter(ofColumn index: Int) -> Int {
        (ids.count - 1) * layout.width + layout.parameters[index]
    }

    /// Writes the begun rows if the statement has all its rows.
    ///
    /// - Returns: The rows that have changed since they were read.
    mutating func end() throws -> [LocalID] {
        guard ids.count == count else { return [] }
        connection.lastInsertRowID = 0
        try statement.run()
        defer { ids.removeAll(keepingCapacity: true) }
        guard connection.changes < count || connection.lastInsertRowID != 0 else { return [] }
        return try ids.filter {
            try !table.hasRow($0, writtenAt: position, connection)
        }
    }

    private mutating func chooseStatement(_ versions: ArraySlice<RowVersion>) throws {
        guard let version = versions.first else { return }
        if let many, versions.count >= TableLayout.rowsAtOnce,
            versions.prefix(TableLayout.rowsAtOnce).allSatisfy({ $0 == version })
        {
            (statement, count) = (many, TableLayout.rowsAtOnce)
        } else {
            (statement, count) = (one, 1)
        }
        let isOne = count == 1
        let known = isOne ? self.versions.one : self.versions.many
        if isOne { self.versions.one = version } else { self.versions.many = version }
        // Rows that were written together have one version and get equal writes.
        guard known != version else { return }
        var writes = try RowWrites(version, nil)
        for column in layout.columns { try writes.write(column.number, by: position) }
        try statement.bind(writes.blob, at: count * layout.width + 3)
        try statement.bind(version.position, at: count * layout.width + 4)
    }
}
