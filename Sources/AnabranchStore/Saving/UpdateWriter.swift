import AnabranchReplication
import AnabranchSQLite

/// Writes the rows of one update, many with one statement where they follow each other with one
/// version.
///
/// A statement of many has the form of an insertion, so a row that is gone would come back, without
/// a version. ``end()`` tells of it as of every row that is not as it was read, and the save must
/// fail then.
struct UpdateWriter {
    /// Takes the row that was begun last.
    private(set) var statement: Statement
    private let one: Statement
    private let many: Statement?
    private let connection: Connection
    private let table: TableLayout
    private let columns: [TableLayout.Column]
    private let position: Int64
    /// Of the first row: its ID, then its columns.
    private let parameters: [Int]
    /// How many parameters a row has.
    private let width: Int
    /// The rows that were begun and not written yet.
    var begun: [LocalID] { ids }
    private var ids: [LocalID] = []
    /// How many rows the statement is to write.
    private var count = 0
    /// What the two statements compare with.
    private var versions: [ObjectIdentifier: RowVersion] = [:]

    /// - Parameters:
    ///   - position: Of the set that writes, in the log.
    ///   - areAlone: Whether each row is to be written before the next one is looked at.
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

    /// - Parameter versions: That the rows had when they were read.
    mutating func begin(_ id: LocalID, _ row: Int, of versions: [RowVersion]) throws {
        if ids.isEmpty { try chooseStatement(versions[row...]) }
        try statement.bind(id, at: ids.count * width + 1)
        ids.append(id)
    }

    func parameter(ofColumn index: Int) -> Int { (ids.count - 1) * width + parameters[index] }

    /// Writes the rows that were begun where the statement has all of them.
    ///
    /// - Returns: Those that are not as they were read.
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
        // Rows that were written together have one version and become alike.
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

    /// Parameters behind those of the rows: the new position, the numbers of the columns,
    /// `ab_writes` of a row that had none, the old version.
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
