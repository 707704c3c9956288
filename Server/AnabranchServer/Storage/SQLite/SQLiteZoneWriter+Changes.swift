import AnabranchReplication
import AnabranchSQLite

extension SQLiteZoneWriter {
    package func write(_ changes: ZoneChanges) throws {
        for rows in changes.inserted { try run(\.insert, rows.columns) }
        for rows in changes.updated { try run(\.update, rows.columns) }
        for keys in changes.removed { try run(\.delete, keys) }
        for case .records(let rows) in changes.inserted {
            for key in rows.lazy.map(\.row.key) {
                guard let greatest = greatestKeys[key.ordinal] else { continue }
                greatestKeys[key.ordinal] = max(greatest, key.rawValue)
            }
        }
    }

    /// Runs a statement for each of some rows.
    private func run(_ text: KeyPath<RowStatements, String>, _ rows: RowColumns) throws {
        guard let statements = RowStatements.byTable[rows.table.name] else {
            preconditionFailure("each table has statements")
        }
        let statement = try connection.cached(statements[keyPath: text])
        for row in 0..<rows.count { try run(statement, row, of: rows.values[...]) }
    }

    /// Runs a statement with the values of a row, of which it reads the large ones in place.
    private func run(
        _ statement: Statement, _ row: Int, of columns: ArraySlice<ColumnValues>
    ) throws {
        for (index, column) in zip(columns.indices, columns) {
            switch column {
            case .integers(let numbers): try statement.bind(numbers[row], at: index + 1)
            case .blobs(let blobs):
                guard let bytes = blobs[row] else {
                    try statement.bindNull(at: index + 1)
                    continue
                }
                guard bytes.count >= Self.leastLarge else {
                    try statement.bind(bytes, at: index + 1)
                    continue
                }
                return try bytes.withUnsafeBytes { bytes in
                    try statement.unsafeBindBlob(bytes, at: index + 1)
                    defer { try? statement.bindNull(at: index + 1) }
                    try run(statement, row, of: columns[(index + 1)...])
                }
            }
        }
        try statement.run()
    }

    private static let leastLarge = 4096
}

/// The statements that write a row of a table. Their parameters are the columns in their order.
private struct RowStatements: Sendable {
    let insert: String
    let update: String
    let delete: String

    static let byTable = Dictionary(
        uniqueKeysWithValues: ZoneTable.all.map { ($0.name, RowStatements($0)) })

    private init(_ table: ZoneTable) {
        let names = table.columns.map(\.name)
        let equations = names.enumerated().map { "\($1) = ?\($0 + 1)" }
        let isSame = equations.prefix(table.keyCount).joined(separator: " AND ")
        let places = names.map { _ in "?" }.joined(separator: ", ")
        insert = """
            INSERT \(table.isReplacing ? "OR REPLACE " : "")INTO \(table.name)\
            (\(names.joined(separator: ", "))) VALUES (\(places))
            """
        let changed = equations.dropFirst(table.keyCount).joined(separator: ", ")
        update = "UPDATE \(table.name) SET \(changed) WHERE \(isSame)"
        delete = "DELETE FROM \(table.name) WHERE \(isSame)"
    }
}
