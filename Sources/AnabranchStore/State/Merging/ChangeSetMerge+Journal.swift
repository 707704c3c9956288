import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

extension ChangeSetMerge {
    /// Records what a write discards that replaces the own cell of its property.
    ///
    /// If a former property shows, the write wins or loses against that.
    ///
    /// - Parameters:
    ///   - held: The stamp of the own cell; `nil` if the property was never written.
    ///   - value: The new value in its wire form.
    func journalReplaced(
        _ property: TableLayout.Property, of row: HeldRow, held: LocalStamp?,
        by value: PropertyValue, _ set: IncomingSet
    ) throws {
        if let former = try formerCell(of: property, in: row) {
            try journal(value, of: set, against: former, of: row)
        } else if let held {
            try journalOverwritten(property, of: row, held: held, by: value, set)
        }
    }

    /// Records a value that a later write has replaced, if the two writes are concurrent.
    ///
    /// - Parameter value: The new value in its wire form.
    private func journalOverwritten(
        _ property: TableLayout.Property, of row: HeldRow, held: LocalStamp,
        by value: PropertyValue, _ set: IncomingSet
    ) throws {
        guard try journal.isConcurrent(held, with: set) else { return }
        let lost = try shownValue(of: property, in: row)
        guard lost != value else { return }
        try journal.record(
            .init(
                kind: .concurrentWrite, record: row.id, entity: row.layout.entity.wireName,
                property: property.wire, value: lost, lost: held, winner: set.stamp,
                winningValue: value))
    }

    /// Records an arriving value that loses to the held one.
    ///
    /// - Parameter value: The arriving value in its wire form.
    func journalDiscarded(
        _ property: TableLayout.Property, of row: HeldRow, value: PropertyValue,
        to held: LocalStamp?, _ set: IncomingSet
    ) throws {
        let winning = try shownValue(of: property, in: row)
        guard winning != value else { return }
        try journal.record(
            .init(
                kind: .concurrentWrite, record: row.id, entity: row.layout.entity.wireName,
                property: property.wire, value: value, lost: set.stamp, winner: held,
                winningValue: winning))
    }
}
