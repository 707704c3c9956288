import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

// A property and its former ones merge as one register: one of their writes shows, and a concurrent
// write that does not is recorded once.
extension ChangeSetMerge {
    /// Merges a value into a former property, among the deferred cells.
    ///
    /// - Parameters:
    ///   - value: The value in its wire form.
    ///   - successor: The property that shows the former one.
    func update(
        _ former: WireProperty, _ value: PropertyValue, showingAs successor: TableLayout.Property,
        of row: HeldRow, _ set: IncomingSet
    ) throws {
        let shown = isReplaying ? nil : try shownCell(of: successor, in: row)
        let (outcome, _) = try deferred.change(former, of: row.id) {
            $0.write(value, to: former, stamp: set.stampOnWire)
        }
        // Under `max` and `min` a value that does not win is no loss.
        guard outcome == .replaces || former.rule.loses && outcome == .loses, let shown,
            let widened = successor.wire.shown(
                value, of: former, in: try transaction.recordID(of: row.id))
        else { return }
        try journal(widened, of: set, against: shown, of: row)
    }

    /// Writes a value of a former property that is `keepBoth`, among the deferred cells.
    func write(
        _ write: SiblingBlock.Write, to former: WireProperty, of row: HeldRow, _ set: IncomingSet
    ) throws {
        let successor = row.layout.successor(of: former)
        let shown = isReplaying ? nil : try successor.flatMap { try shownCell(of: $0, in: row) }
        let cell = RecordCells.Cell(property: former, value: write.value, stamp: set.stampOnWire)
        try deferred.write(cell, to: row.id, seeing: write.observedTags)
        guard let shown,
            let widened = successor?.wire.shown(write.value, of: former, in: write.record)
        else { return }
        try journal(widened, of: set, against: shown, of: row)
    }

    /// The cell that a property shows; `nil` if neither the property nor a former one was written.
    func shownCell(of property: TableLayout.Property, in row: HeldRow) throws -> RecordCells.Cell? {
        if let former = try formerCell(of: property, in: row) { return former }
        guard let stamp = try ownStamp(of: property, in: row) else { return nil }
        return RecordCells.Cell(
            property: property.wire, value: try shownValue(of: property, in: row), stamp: stamp)
    }

    /// The cell of a former property that a property shows, converted; `nil` if it shows its own.
    func formerCell(
        of property: TableLayout.Property, in row: HeldRow
    ) throws -> RecordCells.Cell? {
        // A row with such cells was registered before the change set was applied.
        guard !isReplaying, transaction.views.shownValues[row.id] != nil else { return nil }
        var cells = try deferred.wireCells(of: row.id, .named(property.wire.name))
        if let stamp = try ownStamp(of: property, in: row) {
            cells.append(RecordCells.Cell(property: property.wire, value: .null, stamp: stamp))
        }
        return cells.former(of: property.wire, in: try transaction.recordID(of: row.id))
    }

    private func ownStamp(of property: TableLayout.Property, in row: HeldRow) throws -> Stamp? {
        try row.writes[property.number].map { try deferred.wireStamp(try logStamps[$0]) }
    }

    /// Records which of two writes of one property is discarded: the arriving one, or the held one
    /// if the two are concurrent.
    ///
    /// - Parameters:
    ///   - value: The arriving value in the property's type.
    ///   - held: The cell that shows.
    func journal(
        _ value: PropertyValue, of set: IncomingSet, against held: RecordCells.Cell, of row: HeldRow
    ) throws {
        guard value != held.value, held.property.rule.loses else { return }
        let stamp = try transaction.localStamp(held.stamp)
        var loss = DiscardedWrite(
            kind: .concurrentWrite, record: row.id, entity: row.layout.entity.wireName,
            property: held.property, value: value, lost: set.stamp, winner: stamp,
            winningValue: held.value)
        if held.stamp < set.stampOnWire {
            guard try journal.isConcurrent(stamp, with: set) else { return }
            (loss.value, loss.lost) = (held.value, stamp)
            (loss.winningValue, loss.winner) = (value, set.stamp)
        }
        try journal.record(loss)
    }
}
