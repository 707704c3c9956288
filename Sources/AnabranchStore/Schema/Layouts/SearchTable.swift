import AnabranchModel

/// The index of the words in the searchable attributes of one table: a table of SQLite's FTS5.
///
/// It holds no texts of its own. Triggers of the model's table keep it up to date, so every write
/// of a row changes it in the same transaction: a save, a merge, a repair, and a write by any
/// other program.
struct SearchTable: Hashable {
    /// Splits texts into words, folds their case and removes diacritical marks.
    static let tokenizer = "unicode61 remove_diacritics 2"

    /// The name, quoted for SQL. It is also the name of a hidden column, which MATCH takes.
    let name: String
    let plainName: String
    /// The table with the texts, quoted for SQL.
    private let source: String
    /// The columns with the texts, quoted for SQL.
    private let columns: [String]
    private let prefixLengths: [Int]

    /// - Returns: `nil` for a table without searchable attributes.
    init?(_ table: TableLayout) {
        let searchable = Self.columns(of: table)
        guard !searchable.isEmpty else { return nil }
        plainName = "ab_\(table.plainName)_search"
        name = SQL.quoted(plainName)
        source = table.name
        columns = searchable.map(\.name)
        prefixLengths = Set(
            searchable.flatMap { $0.property.attribute?.search?.prefixLengths ?? [] }
        ).sorted()
    }

    /// The columns with indexed words, in the order of the table.
    static func columns(of table: TableLayout) -> [TableLayout.Column] {
        table.columns.filter { $0.property.attribute?.search != nil }
    }

    /// The statements that create the table and its triggers and fill it from the rows.
    var creation: [String] {
        let prefixes = prefixLengths.map(String.init).joined(separator: " ")
        let options = prefixLengths.isEmpty ? "" : ", prefix = '\(prefixes)'"
        return [
            """
            CREATE VIRTUAL TABLE \(name) USING fts5(\(list(columns)), content = \(source),
            content_rowid = ab_pk, tokenize = '\(Self.tokenizer)'\(options))
            """
        ] + triggers + [filling]
    }

    /// The statements that remove the table and its triggers.
    var removal: [String] { triggerRemoval + ["DROP TABLE IF EXISTS \(name)"] }

    /// The statements that remove the triggers and empty the table, before all rows are replaced.
    var emptying: [String] {
        triggerRemoval + ["INSERT INTO \(name) (\(name)) VALUES ('delete-all')"]
    }

    /// The statements that fill the table from all rows, and keep it up to date from then on.
    var refilling: [String] { triggers + [filling] }

    /// Fails if the table differs from the rows.
    var check: String {
        "INSERT INTO \(name) (\(name), rank) VALUES ('integrity-check', 1)"
    }

    private var filling: String { "INSERT INTO \(name) (\(name)) VALUES ('rebuild')" }

    private var triggers: [String] {
        let new =
            "INSERT INTO \(name) (rowid, \(list(columns))) "
            + "VALUES (new.ab_pk, \(list(columns.map { "new.\($0)" })));"
        let old =
            "INSERT INTO \(name) (\(name), rowid, \(list(columns))) "
            + "VALUES ('delete', old.ab_pk, \(list(columns.map { "old.\($0)" })));"
        let isChanged = columns.map { "old.\($0) IS NOT new.\($0)" }.joined(separator: " OR ")
        return [
            "CREATE TRIGGER \(trigger("insert")) AFTER INSERT ON \(source) BEGIN \(new) END",
            "CREATE TRIGGER \(trigger("delete")) AFTER DELETE ON \(source) BEGIN \(old) END",
            "CREATE TRIGGER \(trigger("update")) AFTER UPDATE OF \(list(columns)) ON \(source) "
                + "WHEN \(isChanged) BEGIN \(old) \(new) END",
        ]
    }

    private var triggerRemoval: [String] {
        ["insert", "delete", "update"].map { "DROP TRIGGER IF EXISTS \(trigger($0))" }
    }

    private func trigger(_ event: String) -> String { SQL.quoted("\(plainName)_\(event)") }

    private func list(_ terms: [String]) -> String { terms.joined(separator: ", ") }
}

extension StoreSchema {
    /// The indexes of words of all tables of the model.
    var searchTables: [SearchTable] { tables.compactMap(SearchTable.init) }
}
