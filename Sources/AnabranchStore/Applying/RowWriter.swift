import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// Reads a table's rows, with who wrote them, and writes changed columns, with the statements of
/// the row before where the next one is alike: a block usually changes the same columns of every
/// row.
struct RowWriter {
    private let transaction: WriteTransaction
    private let layout: EntityLayout
    private let reader: Statement
    private let columns: HeldColumns?
    private var last: (columns: [TableLayout.Column], statement: Statement)?

    /// - Parameter properties: Whose values will be asked for, and are read with the row.
    init(
        _ transaction: WriteTransaction, layout: EntityLayout,
        reading properties: [TableLayout.Property] = []
    ) throws {
        self.transaction = transaction
        self.layout = layout
        let names = properties.flatMap(\.names)
        reader = try transaction.connection.cached(
            names.isEmpty ? layout.versionSQL : layout.versionSQL(before: names))
        columns =
            names.isEmpty
            ? nil : HeldColumns(reader, first: 3, properties, of: layout.entity)
    }

    /// - Returns: `nil` where the record is not held under the layout's entity.
    func heldRow(_ id: LocalID) throws -> HeldRow? {
        leaveRow()
        try reader.bind(id, at: 1)
        guard try reader.step() else { return nil }
        guard reader.int64(at: 0) == layout.number else {
            leaveRow()
            return nil
        }
        let writes = try reader.writes(at: 1)
        if let columns { columns.row = id } else { leaveRow() }
        return HeldRow(id: id, writes: writes, layout: layout, columns: columns)
    }

    private func leaveRow() {
        reader.reset()
        columns?.row = nil
    }

    mutating func write(
        _ taken: [TableLayout.Property.Cell], writes: RowWrites, to id: LocalID
    ) throws {
        leaveRow()
        let statement = try statement(writing: taken)
        var place = 1
        for cell in taken {
            try statement.bind(cell.value, to: cell.column, at: place, transaction.localID(of:))
            place += cell.column.names.count
        }
        try statement.bind(writes, at: place)
        try statement.bind(id, at: place + 2)
        try statement.run()
    }

    private mutating func statement(
        writing taken: [TableLayout.Property.Cell]
    ) throws -> Statement {
        if let last, last.columns.elementsEqual(taken, by: { $0 === $1.column }) {
            return last.statement
        }
        let columns = taken.map(\.column)
        let assignments = (columns.flatMap(\.names) + ["ab_version", "ab_writes"])
            .map { "\($0) = ?" }.joined(separator: ", ")
        let statement = try transaction.connection.cached(
            "UPDATE \(layout.table.name) SET \(assignments) WHERE ab_pk = ?")
        last = (columns, statement)
        return statement
    }
}
