import AnabranchModel
import AnabranchReplication

/// A stored value that a save discards although the save's author has not seen it.
struct UnseenValue {
    var write: DiscardedWrite
    let property: TableLayout.Property
    let layout: EntityLayout

    /// True if the save can be refused for the value. A value that stands beside the shown one
    /// under `keepBoth` is visible only to an app that asks for it, so no app could resolve the
    /// conflict.
    var isRefusable: Bool { property.rule != .keepBoth }
}

extension UnseenValue {
    /// A value under `keepBoth` that stood beside the shown one.
    init(
        _ cell: RecordCells.Cell, of id: LocalID, _ column: TableLayout.Column,
        in layout: EntityLayout, _ save: SaveOperation
    ) throws {
        guard let property = layout.property(cell.property) else {
            preconditionFailure("A column has a property of its own layout.")
        }
        write = DiscardedWrite(
            kind: .concurrentWrite, record: id, entity: layout.entity.wireName,
            property: cell.property, value: cell.value,
            lost: try save.transaction.localStamp(cell.stamp), winner: save.stamp)
        self.property = property
        self.layout = layout
    }
}

// An edit may have been made before another save changed the same property, and be saved after the
// context has merged that change. Optimistic locking can't find it, because the context has read
// the newest row. The request says up to which version the author has seen each property.
extension SaveOperation {
    /// Collects the unseen values that the save is about to overwrite or delete.
    ///
    /// - Parameter slots: The slots that are written; `nil` for a deletion.
    mutating func findUnseenValues(
        of ids: [LocalID], in layout: EntityLayout, slots: [Int]? = nil
    ) throws {
        let written = slots.map(Set.init)
        for id in ids {
            guard let seen = seenVersions[shownBy[id] ?? id],
                let row = try RowReader(transaction, layout: layout).row(id)
            else { continue }
            for property in layout.properties {
                let versions = property.slots.compactMap { seen[$0] }
                guard let version = versions.min(by: { $0.position < $1.position }),
                    written.map({ !$0.isDisjoint(with: property.slots) }) ?? true
                else { continue }
                try findUnseenValue(of: property, in: row, since: version, isDeleted: slots == nil)
            }
        }
    }

    private mutating func findUnseenValue(
        of property: TableLayout.Property, in row: HeldRow, since version: RowVersion,
        isDeleted: Bool
    ) throws {
        // A counter adds, and a `keepBoth` write names what it has seen.
        guard isDeleted || property.rule.loses && property.column.isRegister,
            let cell = try ChangeSetMerge(transaction).shownCell(of: property, in: row)
        else { return }
        let stamp = try transaction.localStamp(cell.stamp)
        guard let position = try logStamps.position(of: stamp), position > version.position else {
            return
        }
        let write = DiscardedWrite(
            kind: isDeleted ? .deletedWhileWritten : .concurrentWrite, record: row.id,
            entity: row.layout.entity.wireName, property: property.wire, value: cell.value,
            lost: stamp, winner: self.stamp)
        unseenValues.append(UnseenValue(write: write, property: property, layout: row.layout))
    }

    /// True if the author of the save has seen a value.
    func hasSeen(_ cell: RecordCells.Cell, _ slot: Int, of id: LocalID) throws -> Bool {
        guard let version = seenVersions[shownBy[id] ?? id]?[slot],
            let position = try logStamps.position(of: try transaction.localStamp(cell.stamp))
        else { return true }
        return position <= version.position
    }

    /// Records the discarded values in the conflict journal, after the log has the save.
    func recordUnseenValues() throws {
        for var value in unseenValues {
            if value.write.kind == .concurrentWrite {
                guard
                    let row = try RowReader(transaction, layout: value.layout)
                        .row(value.write.record)
                else { continue }
                value.write.winningValue = try ChangeSetMerge(transaction).shownValue(
                    of: value.property, in: row)
                if value.write.winningValue == value.write.value { continue }
            }
            try transaction.journal.record(value.write)
        }
    }
}
