import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

// Deferred cells that are still in the columns of dropped properties.
extension DeferredRows {
    /// The values of dropped properties in the record's row, in their wire form.
    ///
    /// - Parameter isReplaced: Returns true for a property with a cell outside of the row.
    func droppedCells(of id: LocalID, unless isReplaced: (WireProperty) -> Bool) throws -> [Cell] {
        // A change set that this transaction saves has written no dropped column.
        let stamps = LogStamps(connection)
        let replicas = transaction.replicas
        for table in transaction.schema.tablesWithDropped {
            let layout = transaction.schema.layout(of: table.root)
            let statement = try connection.cached(
                layout.versionSQL(before: table.dropped.map(\.name)), id)
            guard try statement.step() else { continue }
            guard let entity = transaction.schema.entity(numbered: statement.int64(at: 0)) else {
                continue
            }
            let writes = try statement.writes(at: 1, table.added)
            return try statement.droppedCells(at: 3, of: table, entity, writes, replicas)
                .filter { !isReplaced($0.property) }
                .map {
                    Cell(property: $0.property, value: $0.value, stamp: try stamps[$0.position])
                }
        }
        return []
    }
}

extension Statement {
    /// The values of dropped properties in the statement's row, in their wire form.
    ///
    /// - Parameter column: The statement's column with the first dropped column; the others follow
    ///   in order.
    /// - Returns: The values, each with the position of the change set that wrote it.
    func droppedCells(
        at column: Int, of table: TableLayout, _ entity: EntityDescription, _ writes: RowWrites,
        _ replicas: ReplicaTable
    ) -> [(property: WireProperty, value: PropertyValue, position: Int64)] {
        table.dropped.enumerated().compactMap { offset, dropped in
            guard entity.isKind(of: dropped.entity), let position = dropped.lastWrite(in: writes)
            else { return nil }
            let value = wireValue(at: column + offset, as: dropped.kind, replicas)
            return (dropped.wire, value, position)
        }
    }
}
