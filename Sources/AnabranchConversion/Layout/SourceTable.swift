import AnabranchSQLite

/// A table of the source with the names of its columns.
struct SourceTable {
    let name: String
    /// The names of the columns, in their order.
    let columns: [String]

    /// Reads the tables of a source, by their names in capitals.
    static func all(_ connection: Connection) throws -> [String: SourceTable] {
        var tables: [String: SourceTable] = [:]
        let names = try connection.rows("SELECT name FROM sqlite_master WHERE type = 'table'")
        for name in names.compactMap({ $0.first?.text }) {
            let columns = try connection.rows("SELECT name FROM pragma_table_info(?)", .text(name))
            tables[name.uppercased()] = SourceTable(
                name: name, columns: columns.compactMap { $0.first?.text })
        }
        return tables
    }

    /// The columns with a name in capitals, or with this name and a number.
    ///
    /// Core Data adds a number if two properties of a table would have one name.
    func columns(named stem: String) -> [String] {
        columns.filter { $0.uppercased().isNumbered(stem) }.sorted {
            ($0.utf8.count, $0) < ($1.utf8.count, $1)
        }
    }

    var quotedName: String { name.quotedForSQL }
}

extension String {
    /// The text as the name of a table or column in SQL.
    var quotedForSQL: String { "\"\(replacing("\"", with: "\"\""))\"" }

    /// True for the stem itself, and for the stem with digits behind it.
    func isNumbered(_ stem: String) -> Bool {
        guard hasPrefix(stem) else { return false }
        return utf8.dropFirst(stem.utf8.count).allSatisfy { (0x30...0x39).contains($0) }
    }
}
