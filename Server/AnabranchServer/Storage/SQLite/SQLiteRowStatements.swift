/// The statements that write a row of a table and read some.
struct SQLiteRowStatements: Sendable {
    /// The parameters of these are the columns in their order.
    let insert: String
    let update: String
    let delete: String

    /// Reads the rows in a range of the first column, in the order of their keys.
    let select: String

    private static let byTable = Dictionary(
        uniqueKeysWithValues: ZoneTable.all.map { ($0.name, SQLiteRowStatements($0)) })

    static func of(_ table: ZoneTable) -> SQLiteRowStatements {
        byTable[table.name] ?? SQLiteRowStatements(table)
    }

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
        select = """
            SELECT \(names.joined(separator: ", ")) FROM \(table.name)
            WHERE \(names[0]) BETWEEN ? AND ?
            ORDER BY \(names.prefix(table.keyCount).joined(separator: ", "))
            """
    }
}
