import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

extension ChangeSetMerge {
    /// Handles an operation on a record that is not held. Causal delivery brings an insert before
    /// everything that mentions the record, so the record was deleted. The operation changes
    /// nothing; its values go to the conflict journal (invariant 5).
    mutating func meetRecordNotHeld(
        _ id: LocalID, block: RowBlock, row: Int, of set: IncomingSet
    ) throws {
        guard Mechanism.recordsNotHeld.isOn else {
            return try resurrect(block.records[row], block: block, row: row, of: set)
        }
        for (property, column) in zip(block.properties, block.columns) {
            try journal.record(
                .init(
                    kind: .writeToDeleted, record: id, entity: block.entity, property: property,
                    value: column[row], lost: set.stamp, winner: nil))
        }
    }

    /// Inserts the deleted record again, which is the mistake that the rule prevents. Only a
    /// simulation that switches the rule off calls this.
    private mutating func resurrect(
        _ record: RecordID, block: RowBlock, row: Int, of set: IncomingSet
    ) throws {
        guard let layout = schema.recordLayout(named: block.entity) else { return }
        let mapping = ColumnMapping(block.properties, layout: layout)
        let id = try transaction.localID(of: record)
        let statement = try connection.cached(
            EntityLayout.insertSQL(table: layout.table, columns: mapping.columns), id)
        try statement.bind(mapping.writes(by: set), at: 2, layout.table.added)
        if layout.table.hasDiscriminator { try statement.bind(layout.number, at: 4) }
        var place = layout.firstColumnParameter
        for (property, source) in zip(mapping.properties, mapping.sources) {
            try statement.bind(
                try transaction.localValue(block.columns[source][row]), to: property, at: &place,
                transaction.localID(of:))
        }
        try statement.run()
        changes.addInserted([id], of: layout.entity)
    }
}
