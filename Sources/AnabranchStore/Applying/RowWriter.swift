import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// Reads who wrote a table's rows and writes changed columns, with the statements of the row
/// before where the next one is alike: a block usually changes the same columns of every row.
struct RowWriter {
    private let transaction: WriteTransaction
    private let layout: EntityLayout
    private let version: Statement
    private var last: (columns: [Int], statement: Statement)?

    init(_ transaction: WriteTransaction, layout: EntityLayout) throws {
        self.transaction = transaction
        self.layout = layout
        version = try transaction.connection.cached(layout.versionSQL)
    }

    /// - Returns: `nil` where the record is not held under the layout's entity.
    func heldWrites(of id: LocalID) throws -> RowWrites? {
        try version.bind(id, at: 1)
        defer { version.reset() }
        guard try version.step(), version.int64(at: 0) == layout.number else { return nil }
        return try version.writes(at: 1)
    }

    mutating func write(
        _ taken: [TableLayout.Property.Cell], writes: RowWrites, to id: LocalID
    ) throws {
        let statement = try statement(writing: taken.map(\.column))
        var place = 1
        for cell in taken {
            try statement.bind(cell.value, to: cell.column, at: place, transaction.localID(of:))
            place += cell.column.names.count
        }
        try statement.bind(writes, at: place)
        try statement.bind(id, at: place + 2)
        try statement.run()
    }

    private mutating func statement(writing columns: [TableLayout.Column]) throws -> Statement {
        let slots = columns.map(\.slot)
        if let last, last.columns == slots { return last.statement }
        let assignments = (columns.flatMap(\.names) + ["ab_version", "ab_writes"])
            .map { "\($0) = ?" }.joined(separator: ", ")
        let statement = try transaction.connection.cached(
            "UPDATE \(layout.table.name) SET \(assignments) WHERE ab_pk = ?")
        last = (slots, statement)
        return statement
    }
}
