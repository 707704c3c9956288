/// The statements that write and read rows of one table of zones, many rows with one statement.
struct PostgreSQLRowStatements: Sendable {
    let insert: String
    let update: String
    let delete: String

    /// Read the first rows from a key, and those after a key. A row of many bytes is read alone.
    let firstPage: String
    let nextPage: String

    private static let byTable = Dictionary(
        uniqueKeysWithValues: ZoneTable.all.map { ($0.name, PostgreSQLRowStatements($0)) })

    static func of(_ table: ZoneTable) -> PostgreSQLRowStatements {
        byTable[table.name] ?? PostgreSQLRowStatements(table)
    }

    private init(_ table: ZoneTable) {
        let names = table.postgreSQLColumns
        let all = names.joined(separator: ", ")
        func rows(_ count: Int) -> String {
            let arrays = table.columns.prefix(count).enumerated().map { number, column in
                "$\(number + 2)::\(column.type.rawValue)[]"
            }
            let names = names.prefix(count).joined(separator: ", ")
            return "unnest(\(arrays.joined(separator: ", "))) AS r(\(names))"
        }
        let isSame =
            "t.zone = $1"
            + names.prefix(table.keyCount).map { " AND t.\($0) = r.\($0)" }.joined()
        // A table that is partitioned over servers has no unique index with which rows conflict.
        let condition =
            table.isReplacing
            ? " WHERE NOT EXISTS (SELECT 1 FROM anabranch.\(table.name) AS t WHERE \(isSame))" : ""
        insert = """
            INSERT INTO anabranch.\(table.name)(zone, \(all))
            SELECT $1, \(all) FROM \(rows(names.count))\(condition)
            """
        let changed = names.dropFirst(table.keyCount).map { "\($0) = r.\($0)" }
        update = """
            UPDATE anabranch.\(table.name) AS t SET \(changed.joined(separator: ", "))
            FROM \(rows(names.count)) WHERE \(isSame)
            """
        delete = """
            DELETE FROM anabranch.\(table.name) AS t
            USING \(rows(table.keyCount)) WHERE \(isSame)
            """
        let keys = names.prefix(table.keyCount)
        let order = keys.joined(separator: ", ")
        let places = keys.indices.map { "$\($0 + 4)" }.joined(separator: ", ")
        let size = zip(names, table.columns).filter { $0.1.type == .bytea }
            .map { "coalesce(octet_length(\($0.0)), 0)" }.joined(separator: " + ")
        func page(_ comparison: String) -> String {
            """
            SELECT * FROM (SELECT *, \(size) AS size, sum(\(size)) OVER (ORDER BY \(order)) AS total
                FROM (SELECT \(all) FROM anabranch.\(table.name)
                    WHERE zone = $1 AND (\(order)) \(comparison) (\(places))
                    AND \(names[0]) <= $\(4 + keys.count) ORDER BY \(order) LIMIT $2) AS page
            ) AS sized WHERE total <= $3 OR total = size ORDER BY \(order)
            """
        }
        (firstPage, nextPage) = (page(">="), page(">"))
    }
}

extension ZoneTable {
    /// The columns' names; `left` and `right` are words of PostgreSQL's language.
    var postgreSQLColumns: [String] {
        columns.map { ["left", "right"].contains($0.name) ? $0.name + "_key" : $0.name }
    }
}

extension ZoneChanges {
    func statements(for zone: String) -> [PostgreSQLStatement] {
        inserted.flatMap { $0.inserting(into: zone) }
            + updated.map { $0.statement(\.update, for: zone) }
            + removed.map { $0.statement(\.delete, for: zone) }
    }
}

extension TableRows {
    fileprivate func inserting(into zone: String) -> [PostgreSQLStatement] {
        guard table.isReplacing else { return [statement(\.insert, for: zone)] }
        let isUpdated = table.columns.count > table.keyCount
        return (isUpdated ? [statement(\.update, for: zone, isChecked: false)] : [])
            + [statement(\.insert, for: zone, isChecked: false)]
    }

    /// - Parameter isChecked: True if the statement must change each of the rows.
    fileprivate func statement(
        _ text: KeyPath<PostgreSQLRowStatements, String>, for zone: String, isChecked: Bool = true
    ) -> PostgreSQLStatement {
        var arrays = ColumnArrays(table)
        for row in 0..<count {
            arrays.beginRow()
            append(row, to: &arrays)
        }
        return PostgreSQLStatement(
            PostgreSQLRowStatements.of(table)[keyPath: text], [.text(zone)] + arrays.parameters,
            changing: isChecked ? count : nil)
    }
}

/// Gathers the values of rows by column.
private struct ColumnArrays: ColumnValues {
    private var columns: [(type: ZoneTable.ColumnType, numbers: [Int64], blobs: [[UInt8]?])]
    private var next = 0

    init(_ table: ZoneTable) { columns = table.columns.map { ($0.type, [], []) } }

    mutating func beginRow() { next = 0 }

    mutating func append(_ number: Int64) {
        columns[next].numbers.append(number)
        next += 1
    }

    mutating func append(_ bytes: [UInt8]?) {
        columns[next].blobs.append(bytes)
        next += 1
    }

    /// The arrays of the columns that have values: all, or those of the key.
    var parameters: [PostgreSQLValue] {
        columns.prefix(next).map { $0.type == .bigint ? .integers($0.numbers) : .blobs($0.blobs) }
    }
}
