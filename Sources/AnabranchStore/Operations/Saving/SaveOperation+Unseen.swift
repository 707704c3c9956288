import AnabranchModel
import AnabranchReplication

/// A stored value or link that a save discards although the save's author has not seen it, or
/// another content of a record that is deleted with such a value.
struct UnseenValue {
    var write: DiscardedWrite
    /// The property that the save overwrites; `nil` for a link, and for a deleted record.
    private(set) var overwritten: (property: TableLayout.Property, layout: EntityLayout)?

    /// True if the save can be refused for the value. A value that stands beside the shown one
    /// under `keepBoth` is visible only to an app that asks for it, so no app could resolve the
    /// conflict.
    var isRefusable: Bool {
        write.property.rule != .keepBoth && write.kind != .deletedWithRecord
    }
}

extension UnseenValue {
    /// A value that the save overwrites.
    init(
        _ cell: RecordCells.Cell, of id: LocalID, _ property: TableLayout.Property,
        in layout: EntityLayout, _ save: SaveOperation
    ) throws {
        write = DiscardedWrite(
            kind: .concurrentWrite, record: id, entity: layout.entity.wireName,
            property: property.wire, value: cell.value,
            lost: try save.transaction.localStamp(cell.stamp), winner: save.stamp)
        overwritten = (property, layout)
    }
}

// An edit may have been made before another save changed the same property, and be saved after the
// context has merged that change. Optimistic locking can't find it, because the context has read
// the newest row. The request says up to which version the author has seen each property.
extension SaveOperation {
    /// Collects the unseen values that the save is about to overwrite.
    ///
    /// - Parameter slots: The slots that are written.
    mutating func findUnseenValues(
        of ids: [LocalID], in layout: EntityLayout, slots: [Int]
    ) throws {
        let written = Set(slots)
        for id in ids {
            guard let seen = seenVersions[shownBy[id] ?? id],
                let row = try RowReader(transaction, layout: layout).row(id)
            else { continue }
            // A counter adds, and a `keepBoth` write names what it has seen.
            for property in layout.properties
            where property.rule.loses && property.column.isRegister
                && !written.isDisjoint(with: property.slots)
            {
                guard let version = seen.oldest(of: property.slots),
                    let cell = try ChangeSetMerge(transaction).shownCell(of: property, in: row)
                else { continue }
                let value = try UnseenValue(cell, of: id, property, in: layout, self)
                if try isUnseen(value.write.lost, since: version) { unseenValues.append(value) }
            }
        }
    }

    /// Collects what records hold, if the author of their deletion has not seen all of it.
    mutating func findUnseenContents(of ids: [LocalID], in layout: EntityLayout) throws {
        for id in ids {
            guard let seen = seenVersions[shownBy[id] ?? id],
                let row = try RowReader(transaction, layout: layout).row(id)
            else { continue }
            var hasUnseen = false
            var contents: [UnseenValue] = []
            try ChangeSetMerge(transaction).forEach(in: RecordContents(row)) { lost, content in
                let loss = try content()
                let version = seen.oldest(of: layout.slots(of: loss.property))
                let isUnseen = try isUnseen(lost, since: version)
                hasUnseen = hasUnseen || isUnseen
                contents.append(UnseenValue(write: loss.deleted(by: stamp, isUnseen: isUnseen)))
            }
            if hasUnseen { unseenValues += contents }
        }
    }

    /// Collects the unseen tags of a link that the save is about to remove.
    mutating func findUnseenTags(
        _ tags: [LocalTag], of change: SaveRequest.LinkChange, _ layout: LinkLayout,
        left: LocalID, right: LocalID
    ) throws {
        let slots = [change.relationship, change.relationship.inverse].compactMap { $0?.slot }
        let versions = [change.owner, change.other].compactMap {
            seenVersions[shownBy[$0] ?? $0]?.oldest(of: slots)
        }
        guard let version = versions.min() else { return }
        for tag in tags where try isUnseen(tag.stamp, since: version) {
            let write = DiscardedWrite(
                kind: .concurrentWrite, record: left, entity: layout.leftEntity.wireName,
                property: layout.relationship.wireProperty,
                value: .reference(try transaction.recordID(of: right)), lost: tag.stamp,
                winner: stamp)
            unseenValues.append(UnseenValue(write: write))
        }
    }

    /// True if the author of the save has seen a value.
    func hasSeen(_ cell: RecordCells.Cell, _ slot: Int, of id: LocalID) throws -> Bool {
        try !isUnseen(
            transaction.localStamp(cell.stamp), since: seenVersions[shownBy[id] ?? id]?[slot])
    }

    /// - Parameter version: The version up to which the author has seen the property; `nil` if
    ///   everything was seen.
    func isUnseen(_ write: LocalStamp, since version: RowVersion?) throws -> Bool {
        guard let version, let position = try logStamps.position(of: write) else { return false }
        return position > version.position
    }

    /// Records the discarded values in the conflict journal, after the log has the save.
    func recordUnseenValues() throws {
        for var value in unseenValues {
            if let (property, layout) = value.overwritten {
                guard let row = try RowReader(transaction, layout: layout).row(value.write.record)
                else { continue }
                value.write.winningValue = try ChangeSetMerge(transaction).shownValue(
                    of: property, in: row)
                if value.write.winningValue == value.write.value { continue }
            }
            try transaction.journal.record(value.write)
        }
    }
}

extension [Int: RowVersion] {
    fileprivate func oldest(of slots: [Int]) -> RowVersion? {
        slots.compactMap { self[$0] }.min()
    }
}

extension EntityLayout {
    /// The slots that show the writes of a property, or the links of a relationship.
    fileprivate func slots(of property: WireProperty) -> [Int] {
        if let shown = self.property(property) ?? successor(of: property) { return shown.slots }
        return entity.relationships.filter { $0.wireProperty == property }.map(\.slot)
    }
}
