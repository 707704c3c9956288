/// An index of a table of the model.
struct TableIndex: Hashable {
    /// The name, quoted for SQL.
    let name: String
    /// The statement that creates the index.
    let creation: String

    /// - Parameters:
    ///   - name: The name of the index, quoted for SQL.
    ///   - table: The name of the table, quoted for SQL.
    ///   - terms: The indexed columns or expressions.
    init(_ name: String, on table: String, _ terms: [String]) {
        self.name = name
        creation = "CREATE INDEX \(name) ON \(table) (\(terms.joined(separator: ", ")))"
    }
}

extension StoreSchema {
    /// The statements that create all tables of the model.
    var tableCreation: [String] { tables.map(\.creation) + linkLayouts.map(\.creation) }

    /// The indexes of all tables of the model.
    var indexes: [TableIndex] {
        // Tables and indexes share one namespace.
        var names = UniqueNames(taken: tables.map(\.plainName) + linkLayouts.map(\.plainName))
        return tables.flatMap { $0.indexes(names: &names) }
            + linkLayouts.flatMap { $0.indexes(names: &names) }
    }
}
