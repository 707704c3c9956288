package import AnabranchSQLite

/// A hostile value in a column of a SQLite file, in one row or in all rows.
package struct StoredDamage: Sendable, CustomStringConvertible {
    package let table: String
    package let column: String
    /// The SQL expression of the value.
    package let value: String
    /// The columns that name a row.
    private let key: String
    private let isEverywhere: Bool

    package var description: String {
        "\(table).\(column) = \(value)\(isEverywhere ? ", in all rows" : "")"
    }

    /// Writes the value.
    ///
    /// - Returns: True if a row has changed: a constraint of the table may not let it.
    package func apply(to connection: Connection) throws -> Bool {
        let rows =
            isEverywhere
            ? ""
            : """
             WHERE (\(key)) = (SELECT \(key) FROM \(table) WHERE \(column) IS NOT NULL
            LIMIT 1 OFFSET (SELECT count(*) / 2 FROM \(table) WHERE \(column) IS NOT NULL))
            """
        try connection.execute("UPDATE OR IGNORE \(table) SET \(column) = \(value)\(rows)")
        return connection.changes > 0
    }

    /// Every value for every column of a file that holds something, except those of virtual tables.
    package static func all(in connection: Connection) throws -> [StoredDamage] {
        let tables = try connection.rows(
            """
            SELECT name, sql LIKE '%WITHOUT ROWID%' FROM sqlite_schema
            WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' AND name NOT LIKE 'sqlite_%'
            ORDER BY name
            """)
        return try tables.flatMap { row -> [StoredDamage] in
            guard case .text(let table) = row[0] else { return [] }
            return try all(
                in: "\"\(table)\"", hasRowID: row[1] == .integer(0), columns: connection)
        }
    }

    private static func all(
        in table: String, hasRowID: Bool, columns connection: Connection
    ) throws -> [StoredDamage] {
        let columns = try connection.rows("PRAGMA table_info(\(table))").compactMap {
            row -> (name: String, isKey: Bool)? in
            guard case .text(let name) = row[1] else { return nil }
            return ("\"\(name)\"", row[5] != .integer(0))
        }
        let keys = columns.filter(\.isKey).map(\.name)
        let key = hasRowID ? "rowid" : keys.joined(separator: ", ")
        return try columns.flatMap { column -> [StoredDamage] in
            let held = try connection.firstValue(
                "SELECT count(*) FROM \(table) WHERE \(column.name) IS NOT NULL")
            guard held != .integer(0) else { return [] }
            return values(for: column.name).flatMap { value in
                [false, true].map {
                    StoredDamage(
                        table: table, column: column.name, value: value, key: key,
                        isEverywhere: $0)
                }
            }
        }
    }

    private static func values(for column: String) -> [String] {
        let bytes = "CAST(\(column) AS BLOB)"
        func replacing(_ place: String, by byte: String) -> String {
            "CAST(substr(\(bytes), 1, \(place)) || x'\(byte)' || substr(\(bytes), \(place) + 2) "
                + "AS BLOB)"
        }
        return [
            "NULL", "-1", "-9223372036854775807 - 1", "9223372036854775807",
            "\(column) + 1", "'text'", "x''", "substr(\(bytes), 1, length(\(bytes)) / 2)",
            replacing("0", by: "FF"), replacing("length(\(bytes)) / 2", by: "FF"),
            replacing("length(\(bytes)) - 1", by: "7F"),
        ]
    }
}
