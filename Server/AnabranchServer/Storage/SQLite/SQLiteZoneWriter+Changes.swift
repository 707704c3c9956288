import AnabranchReplication
import AnabranchSQLite

extension SQLiteZoneWriter {
    package func write(_ changes: ZoneChanges) throws {
        for rows in changes.inserted { try run(\.insert, rows) }
        for rows in changes.updated { try run(\.update, rows) }
        for keys in changes.removed { try run(\.delete, keys) }
        for case .records(let rows) in changes.inserted {
            for key in rows.lazy.map(\.row.key) {
                guard let greatest = greatestKey, greatest.ordinal == key.ordinal else { continue }
                greatestKey = RecordKey(rawValue: max(greatest.rawValue, key.rawValue))
            }
        }
    }

    /// Runs a statement for each of some rows.
    private func run(
        _ text: KeyPath<SQLiteRowStatements, String>, _ rows: some TableRows
    ) throws {
        let statements = SQLiteRowStatements.of(rows.table)
        let statement = try connection.cached(statements[keyPath: text])
        for row in 0..<rows.count {
            var values = BoundValues(statement: statement)
            try rows.append(row, to: &values)
            try run(statement, binding: values.large[...])
        }
    }

    /// Runs a statement, after its small values were bound, and lends it the large ones.
    private func run(
        _ statement: Statement, binding large: ArraySlice<(index: Int, bytes: [UInt8])>
    ) throws {
        guard let (index, bytes) = large.first else { return try statement.run() }
        try bytes.withUnsafeBytes { bytes in
            try statement.unsafeBindBlob(bytes, at: index)
            defer { try? statement.bindNull(at: index) }
            try run(statement, binding: large.dropFirst())
        }
    }
}

/// Binds the values of a row to a statement, except the large ones, which need no copy.
private struct BoundValues: ColumnValues {
    let statement: Statement
    private(set) var large: [(index: Int, bytes: [UInt8])] = []
    private var index = 0

    private static let leastLarge = 4096

    init(statement: Statement) { self.statement = statement }

    mutating func append(_ number: Int64) throws {
        index += 1
        try statement.bind(number, at: index)
    }

    mutating func append(_ bytes: [UInt8]?) throws {
        index += 1
        guard let bytes else { return try statement.bindNull(at: index) }
        if bytes.count < Self.leastLarge {
            try statement.bind(bytes, at: index)
        } else {
            large.append((index, bytes))
        }
    }
}
