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
    private func run(_ text: KeyPath<SQLiteRowStatements, String>, _ rows: RowColumns) throws {
        let statements = SQLiteRowStatements.of(rows.table)
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
