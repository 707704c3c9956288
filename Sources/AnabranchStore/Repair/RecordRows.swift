import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// Writes a record of a state, as it stands there, into its table.
struct RecordRows {
    private let applying: ApplyOperation

    private var transaction: WriteTransaction { applying.transaction }
    private var connection: Connection { transaction.connection }

    init(_ applying: ApplyOperation) { self.applying = applying }

    /// - Parameters:
    ///   - record: One that is not held. Dead, or of an entity that this model does not have, it is
    ///     kept among those without a table.
    ///   - version: That the row gets.
    func insert(_ record: CanonicalRecord, id: LocalID, version: RowVersion) throws {
        let deferred = applying.deferred
        if let mark = record.deleteMark { try deferred.setMark(mark, of: id) }
        guard let layout = applying.layout(named: record.entity), !record.isDead else {
            return try deferred.bury(record, id: id)
        }
        var shown: [Int: CanonicalRecord.Cell] = [:]
        for cell in record.cells.sorted(by: { $0.stamp < $1.stamp }) {
            guard let column = layout.column(for: cell.property) else {
                try deferred.write(cell, to: id)
                continue
            }
            if let other = shown.updateValue(cell, forKey: column.slot) {
                try deferred.write(other, to: id)
            }
        }
        try insert(shown, id: id, layout: layout, version: version)
    }

    /// - Parameter cells: By slot.
    private func insert(
        _ cells: [Int: CanonicalRecord.Cell], id: LocalID, layout: EntityLayout,
        version: RowVersion
    ) throws {
        let columns = layout.columns.filter { cells[$0.slot] != nil }
        let positions = try columns.map { try position(of: cells[$0.slot]) }
        // Most cells of a record were written by one set: name that one once.
        var writes = RowWrites(by: positions.first ?? version.position)
        writes.advance(to: version)
        for column in layout.columns { writes.leaveUnwritten(column.number) }
        for (column, position) in zip(columns, positions) {
            writes.writeAgain(column.number, by: position)
        }
        let statement = try connection.cached(
            EntityLayout.insertSQL(table: layout.table, columns: columns))
        try statement.bind(id, at: 1)
        try statement.bind(writes, at: 2)
        if layout.table.hasDiscriminator { try statement.bind(layout.number, at: 4) }
        var place = layout.firstColumnParameter
        for column in columns {
            let value = try applying.localValue(cells[column.slot]?.value ?? .null)
            try statement.bind(value, to: column, at: place, transaction.localID(of:))
            place += column.names.count
        }
        try statement.run()
    }

    /// Where this file's log has the set of a cell's stamp.
    private func position(of cell: CanonicalRecord.Cell?) throws -> Int64 {
        guard let stamp = cell?.stamp,
            let position = try applying.logStamps.position(of: transaction.localStamp(stamp))
        else {
            throw StoreError(
                .corrupt,
                "Can't write a record because the log has no change set of one of its stamps.",
                path: transaction.store.path)
        }
        return position
    }
}
