/// The statements that write rows of one table of zones, many rows with one statement.
private struct RowStatements: Sendable {
    let insert: String
    let update: String
    let delete: String

    static let byTable = Dictionary(
        uniqueKeysWithValues: ZoneTable.all.map { ($0.name, RowStatements($0)) })

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
    }
}

extension ZoneTable {
    /// The columns' names; `left` and `right` are words of PostgreSQL's language.
    var postgreSQLColumns: [String] {
        columns.map { ["left", "right"].contains($0.name) ? $0.name + "_key" : $0.name }
    }
}

extension ZoneChanges {
    /// The statements that write the changes.
    func statements(for zone: String) -> [PostgreSQLStatement] {
        inserted.flatMap { $0.columns.inserting(into: zone) }
            + updated.map { $0.columns.statement(\.update, for: zone) }
            + removed.map { $0.statement(\.delete, for: zone) }
    }
}

extension RowColumns {
    fileprivate func inserting(into zone: String) -> [PostgreSQLStatement] {
        guard table.isReplacing else { return [statement(\.insert, for: zone)] }
        let isUpdated = table.columns.count > table.keyCount
        return (isUpdated ? [statement(\.update, for: zone, isChecked: false)] : [])
            + [statement(\.insert, for: zone, isChecked: false)]
    }

    /// - Parameter isChecked: True if the statement must change each of the rows.
    fileprivate func statement(
        _ text: KeyPath<RowStatements, String>, for zone: String, isChecked: Bool = true
    ) -> PostgreSQLStatement {
        guard let statements = RowStatements.byTable[table.name] else {
            preconditionFailure("each table has statements")
        }
        let values = values.map { column -> PostgreSQLValue in
            switch column {
            case .integers(let numbers): .integers(numbers)
            case .blobs(let blobs): .blobs(blobs)
            }
        }
        return PostgreSQLStatement(
            statements[keyPath: text], [.text(zone)] + values, changing: isChecked ? count : nil)
    }
}
