import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// Writes changed columns of rows that its reader has read. It reuses the previous row's statements
/// if the next row changes the same columns, as most rows of a block do.
final class RowWriter {
    private let transaction: StateTransaction
    private let layout: EntityLayout
    private let reader: RowReader

    // Every row accesses the properties marked `unchecked`; a transaction is confined to one
    // thread.

    /// The statement that writes one row.
    @exclusivity(unchecked) private var one: Prepared?
    /// The statement that writes as many rows as may wait.
    @exclusivity(unchecked) private var many: Prepared?
    @exclusivity(unchecked) private var waiting: [Row] = []

    private struct Prepared {
        let columns: [TableLayout.Column]
        let statement: Statement
    }

    /// The new state of a row that exists.
    private struct Row {
        let id: LocalID
        let taken: [TableLayout.Property.Cell]
        let writes: RowWrites
    }

    /// Creates a writer.
    ///
    /// - Parameter properties: The properties to read together with each row.
    init(
        _ transaction: StateTransaction, layout: EntityLayout,
        reading properties: [TableLayout.Property] = []
    ) throws {
        self.transaction = transaction
        self.layout = layout
        reader = try RowReader(transaction, layout: layout, reading: properties)
    }

    /// Announces the rows that will be requested next, each once and in this order.
    func expect(_ ids: [LocalID]) { reader.expect(ids) }

    /// Reads a row.
    ///
    /// - Returns: `nil` if the record is not held under the layout's entity.
    func heldRow(_ id: LocalID) throws -> HeldRow? {
        if waiting.contains(where: { $0.id == id }) { try finish() }
        return try reader.row(id)
    }

    func write(_ taken: [TableLayout.Property.Cell], writes: RowWrites, to id: LocalID) throws {
        reader.leave()
        try write(Row(id: id, taken: taken, writes: writes))
    }

    /// Updates a row that exists, possibly later: until `finish()` only this writer sees the
    /// change.
    func writeSoon(_ taken: [TableLayout.Property.Cell], writes: RowWrites, to id: LocalID) throws {
        if let first = waiting.first, !Self.areAlike(first.taken, taken) { try finish() }
        waiting.append(Row(id: id, taken: taken, writes: writes))
        guard waiting.count == TableLayout.rowsAtOnce else { return }
        reader.leave()
        try writeAll()
        waiting.removeAll(keepingCapacity: true)
    }

    /// Writes the rows that wait, and leaves the row that was read last.
    func finish() throws {
        reader.leave()
        for row in waiting { try write(row) }
        waiting.removeAll(keepingCapacity: true)
    }

    private static func areAlike(
        _ left: [TableLayout.Property.Cell], _ right: [TableLayout.Property.Cell]
    ) -> Bool {
        left.elementsEqual(right) { $0.column === $1.column }
    }

    private func write(_ row: Row) throws {
        let statement = try statement(writing: row.taken, as: \.one) { names in
            let assignments = names.map { "\($0) = ?" }.joined(separator: ", ")
            return "UPDATE \(layout.table.name) SET \(assignments) WHERE ab_pk = ?"
        }
        var place = 1
        try bind(row, to: statement, at: &place)
        try statement.bind(row.id, at: place)
        try run(statement, writing: [row])
    }

    private func writeAll() throws {
        let statement = try statement(writing: waiting[0].taken, as: \.many) { names in
            layout.table.updateSQL(names, assigning: names.map { "\($0) = excluded.\($0)" })
        }
        var place = 1
        for row in waiting {
            try statement.bind(row.id, at: place)
            place += 1
            try bind(row, to: statement, at: &place)
        }
        try run(statement, writing: waiting)
    }

    /// Runs a statement. Values of concurrent saves may together exceed the size of a row.
    private func run(_ statement: Statement, writing rows: [Row]) throws {
        do {
            try statement.run()
        } catch let error as SQLiteError where error.code == .tooBig {
            throw StoreError(
                .recordTooLarge,
                "Can't apply a change to a record of \(layout.entity.name) because its values "
                    + "have more than \(transaction.connection.lengthLimit) bytes together. "
                    + "Make one of them smaller, save, and synchronize again.",
                entity: layout.entity.name, records: rows.map(\.id), underlying: error)
        }
    }

    private func bind(_ row: Row, to statement: Statement, at place: inout Int) throws {
        for cell in row.taken {
            try statement.bind(cell.value, to: cell.column, at: place, transaction.localID(of:))
            place += cell.column.names.count
        }
        try statement.bind(row.writes, at: place, layout.table.added)
        place += 2
    }

    /// The statement for some columns.
    ///
    /// - Parameter sql: Returns the SQL for the names of the written columns.
    private func statement(
        writing taken: [TableLayout.Property.Cell],
        as last: ReferenceWritableKeyPath<RowWriter, Prepared?>, _ sql: ([String]) -> String
    ) throws -> Statement {
        if let last = self[keyPath: last],
            last.columns.elementsEqual(taken, by: { $0 === $1.column })
        {
            return last.statement
        }
        let columns = taken.map(\.column)
        let names = columns.flatMap(\.names) + ["ab_version", "ab_writes"]
        let statement = try transaction.connection.cached(sql(names))
        self[keyPath: last] = Prepared(columns: columns, statement: statement)
        return statement
    }
}
