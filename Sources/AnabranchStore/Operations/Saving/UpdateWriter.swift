import AnabranchReplication
import AnabranchSQLite

/// Writes the rows of one update, several with one statement if consecutive rows have the same
/// version.
///
/// A multi-row statement has the form of an insertion, so it inserts a row that was deleted
/// meanwhile, without a version. `end()` returns such a row like any other that has changed since
/// it was read, and the save must then fail.
struct UpdateWriter {
    /// The statement to which the values of the current row are bound.
    private(set) var statement: Statement
    private let one: Statement
    private let many: Statement?
    private let connection: Connection
    private let table: TableLayout
    private let columns: [TableLayout.Column]
    private let position: Int64
    /// The parameters of the first row's columns; its ID is the parameter before them.
    private let parameters: [Int]
    /// The number of parameters of a row.
    private let width: Int
    /// The rows that were begun and not written yet.
    var begun: [LocalID] { ids }
    private var ids: [LocalID] = []
    /// The number of rows that the statement writes.
    private var count = 0
    /// The versions with which the two statements compare.
    private var versions: [ObjectIdentifier: RowVersion] = [:]

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - position: The local position of the change set that writes.
    ///   - areAlone: True if each row must be written before the next one is read.
    init(
        _ columns: [TableLayout.Column], of table: TableLayout, by position: Int64,
        _ connection: Connection, areAlone: Bool
    ) throws {
        let parameters = TableLayout.parameters(of: columns, from: 2)
        let names = columns.flatMap(\.names)
        let isAlone = areAlone || columns.contains { $0.position != nil }
        width = names.count + 1
        one = try connection.cached(Self.sql(table, names))
        many = isAlone ? nil : try connection.cached(Self.sqlOfMany(table, names))
        statement = one
        self.columns = columns
        self.parameters = parameters
        self.connection = connection
        self.table = table
        self.position = position
        let numbers = Self.numbers(of: columns)
        for (statement, rows) in [(one, 1), (many, TableLayout.rowsAtOnce)] {
            try statement?.bind(position, at: rows * width + 1)
            try statement?.bind(numbers, at: rows * width + 2)
        }
    }

    /// Begins a row.
    ///
    /// - Parameter versions: The versions of the rows when they were read.
    mutating func begin(_ id: LocalID, _ row: Int, of versions: [RowVersion]) throws {
        if ids.isEmpty { try chooseStatement(versions[row...]) }
        try statement.bind(id, at: ids.count * width + 1)
        ids.append(id)
    }

    func parameter(ofColumn index: Int) -> Int { (ids.count - 1) * width + parameters[index] }

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
        let next = versions.prefix(TableLayout.rowsAtOnce)
        if let many, next.count == TableLayout.rowsAtOnce, next.allSatisfy({ $0 == version }) {
            (statement, count) = (many, next.count)
        } else {
            (statement, count) = (one, 1)
        }
        // Rows that were written together have one version and get equal writes.
        guard self.versions.updateValue(version, forKey: ObjectIdentifier(statement)) != version
        else { return }
        var writes = try RowWrites(version, nil)
        for column in columns { try writes.write(column.number, by: position) }
        try statement.bind(writes.blob, at: count * width + 3)
        try statement.bind(version.position, at: count * width + 4)
    }

    private static func numbers(of columns: [TableLayout.Column]) -> [UInt8] {
        var numbers = ByteWriter()
        for column in columns { numbers.append(count: column.number) }
        return numbers.bytes
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
