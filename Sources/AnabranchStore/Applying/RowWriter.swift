import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// Reads who wrote a table's rows and writes changed columns, with the statements of the row
/// before where the next one is alike: a block usually changes the same columns of every row.
struct RowWriter {
    private let connection: Connection
    private let layout: EntityLayout
    private let version: Statement
    private var last: (columns: [Int], statement: Statement)?

    init(_ connection: Connection, layout: EntityLayout) throws {
        self.connection = connection
        self.layout = layout
        version = try connection.cached(layout.versionSQL)
    }

    /// - Returns: `nil` where the record is not held under the layout's entity.
    func heldWrites(of id: LocalID) throws -> RowWrites? {
        try version.bind(id, at: 1)
        defer { version.reset() }
        guard try version.step(), version.int64(at: 0) == layout.number else { return nil }
        return try version.writes(at: 1)
    }

    mutating func write(
        _ taken: [(column: TableLayout.Column, value: Value)], writes: RowWrites, to id: LocalID
    ) throws {
        let statement = try statement(writing: taken.map(\.column))
        for (index, cell) in taken.enumerated() {
            try statement.bind(slot: cell.value, at: index + 1, as: cell.column.kind)
        }
        try statement.bind(writes, at: taken.count + 1)
        try statement.bind(id, at: taken.count + 3)
        try statement.run()
    }

    private mutating func statement(writing columns: [TableLayout.Column]) throws -> Statement {
        let slots = columns.map(\.slot)
        if let last, last.columns == slots { return last.statement }
        let assignments = (columns.map(\.name) + ["ab_version", "ab_writes"])
            .map { "\($0) = ?" }.joined(separator: ", ")
        let statement = try connection.cached(
            "UPDATE \(layout.table.name) SET \(assignments) WHERE ab_pk = ?")
        last = (slots, statement)
        return statement
    }
}
