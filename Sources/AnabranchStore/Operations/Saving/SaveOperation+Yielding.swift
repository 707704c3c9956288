import AnabranchModel
import AnabranchReplication

// An edit of a property under `firstWriter`, `max` or `min` may be laid over a stored value that
// its author has not seen and that wins by the rule. If it were refused, no save of the context
// could succeed before the edit is discarded. So it yields, as it does when two replicas meet.
extension SaveOperation {
    /// Leaves out the edits that lose to values which their author has not seen. The conflict
    /// journal gets those that count as lost.
    mutating func yielding(_ request: SaveRequest) throws -> SaveRequest {
        var result = request
        result.updates = try request.updates.flatMap { try yielding($0) }
        return result
    }

    private mutating func yielding(_ update: SaveRequest.Update) throws -> [SaveRequest.Update] {
        let layout = schema.layout(of: update.entity)
        let columns = layout.updateLayout(ofSlots: update.rows.slots).columns.filter {
            $0.rule.isContested
        }
        guard !columns.isEmpty,
            update.rows.ids.contains(where: { seenVersions[shownBy[$0] ?? $0] != nil })
        else { return [update] }
        var kept: [Set<Int>: SaveRequest.Update] = [:]
        for (row, id) in update.rows.ids.enumerated() {
            let lost = try columns.filter { try yields($0, of: id, to: update, row, layout) }
            let slots = Set(update.rows.slots).subtracting(lost.map(\.slot))
            if !lost.isEmpty {
                owners.addUpdated(id, of: update.entity, slots: SlotSet(lost.map(\.slot)))
            }
            guard !slots.isEmpty else { continue }
            kept[slots, default: .init(entity: update.entity, slots: slots.sorted())]
                .append(row, of: update)
        }
        return kept.sorted { $0.key.count > $1.key.count }.map(\.value)
    }

    /// True if the edit of a column loses to a value that its author has not seen.
    private mutating func yields(
        _ column: TableLayout.Column, of id: LocalID, to update: SaveRequest.Update, _ row: Int,
        _ layout: EntityLayout
    ) throws -> Bool {
        let wire = column.property.wireProperty
        guard let version = seenVersions[shownBy[id] ?? id]?[column.slot],
            let property = layout.property(wire),
            let held = try RowReader(transaction, layout: layout).row(id),
            let cell = try transaction.views.shownCells(of: property, in: held).first,
            let place = update.rows.slots.firstIndex(of: column.slot)
        else { return false }
        let stamp = try transaction.localStamp(cell.stamp)
        let edited = try wireValue(update.rows[row, place], of: column)
        let outcome = Register.outcome(
            ofWriting: try deferred.wireStamp(self.stamp), over: cell.stamp, by: column.rule,
            values: { (edited, cell.value) })
        guard outcome != .replaces, try isUnseen(stamp, since: version) else { return false }
        if column.rule.loses, edited != cell.value {
            let write = DiscardedWrite(
                kind: .concurrentWrite, record: id, entity: layout.entity.wireName, property: wire,
                value: edited, lost: self.stamp, winner: stamp, winningValue: cell.value)
            unseenValues.append(UnseenValue(write: write))
        }
        return true
    }

    private func wireValue(_ value: PropertyValue, of column: TableLayout.Column) throws
        -> PropertyValue
    {
        guard column.kind == .reference, case .integer(let target) = value else { return value }
        return .reference(try transaction.recordID(of: target))
    }
}

extension MergeRule {
    /// True if the held value decides whether a later write is taken.
    fileprivate var isContested: Bool { self == .firstWriter || isExtremum }
}

extension SaveRequest.Update {
    /// Adds a row of another update of the entity, which writes more slots.
    fileprivate mutating func append(_ row: Int, of other: SaveRequest.Update) {
        var slots = [PropertyValue](repeating: .null, count: entity.slots.count)
        for (column, slot) in other.rows.slots.enumerated() {
            slots[slot] = other.rows[row, column]
        }
        slots.withUnsafeBufferPointer { append(other.rows.ids[row], other.versions[row], $0) }
    }
}
