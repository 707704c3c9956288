import AnabranchModel
import AnabranchReplication

/// A stored value or link that a save discards although the save's author has not seen it, or
/// another content of a record that is deleted with such a value.
struct UnseenValue {
    var write: DiscardedWrite
    /// The property that the save overwrites; `nil` for a link, and for a deleted record.
    private(set) var overwritten: (property: TableLayout.Property, layout: EntityLayout)?

    /// False if a view rule has hidden the value. An app sees such a value only if it asks for it,
    /// so it could not resolve a conflict.
    private(set) var isShown = true

    /// True if the save can be refused for the value.
    var isRefusable: Bool {
        isShown && write.property.rule != .keepBoth && write.kind != .deletedWithRecord
    }
}

extension UnseenValue {
    /// A value that the save overwrites.
    ///
    /// - Parameters:
    ///   - entity: The entity of the record that holds the value.
    ///   - layout: The layout of the visible record.
    ///   - isShown: False if a view rule hides the value.
    init(
        _ cell: RecordCells.Cell, of id: LocalID, _ entity: WireName,
        _ property: TableLayout.Property, in layout: EntityLayout,
        _ save: borrowing SaveOperation,
        isShown: Bool = true
    ) throws {
        write = DiscardedWrite(
            kind: .concurrentWrite, record: id, entity: entity, property: property.wire,
            value: cell.value, lost: try save.transaction.localStamp(cell.stamp),
            winner: save.stamp)
        overwritten = (property, layout)
        self.isShown = isShown
    }
}

// An edit may have been made before another save changed the same property, and be saved after the
// context has merged that change. Optimistic locking can't find it, because the context has read
// the newest row. It can't find changed links at all, because they don't change a row. The request
// says up to which version the author has seen each property and each link.
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
                    let cell = try transaction.views.shownCells(of: property, in: row).first
                else { continue }
                let value = try UnseenValue(
                    cell, of: id, layout.entity.wireName, property, in: layout, self)
                if try isUnseen(value.write.lost, since: version) { unseenValues.append(value) }
            }
        }
    }

    /// Collects what records hold, if the author of their deletion has not seen all of it, or was
    /// not shown all of it.
    mutating func findUnseenContents(of ids: [LocalID], in layout: EntityLayout) throws {
        for id in ids {
            let shown = shownBy[id] ?? id
            let (seen, hidden) = (seenVersions[shown], hiddenWrites[id])
            guard seen != nil || hidden != nil || seenLinks[shown] != nil,
                let row = try RowReader(transaction, layout: layout).row(id)
            else { continue }
            var hasUnseen = false
            var contents: [UnseenValue] = []
            try ChangeSetMerge(transaction).forEach(in: RecordContents(row)) { lost, content in
                let loss = try content()
                let version = try seenVersion(of: loss, deletedWith: id, layout)
                let isNew = try isUnseen(lost, since: version)
                let isHidden = try hidden?.contains(storedWrite(loss)) ?? false
                hasUnseen = hasUnseen || isNew || isHidden
                contents.append(
                    UnseenValue(
                        write: loss.deleted(by: stamp, isUnseen: isNew || isHidden),
                        isShown: isNew || !isHidden))
            }
            if hasUnseen { unseenValues += contents }
        }
    }

    /// Collects the unseen tags of a link that the save is about to remove.
    mutating func findUnseenTags(
        _ tags: [LocalTag], of change: SaveRequest.LinkChange, _ layout: LinkLayout,
        left: LocalID, right: LocalID
    ) throws {
        guard let version = change.seen, version.position < transaction.formerPosition else {
            return
        }
        for tag in tags where try isUnseen(tag.stamp, since: version) {
            let write = DiscardedWrite(
                kind: .concurrentWrite, record: left, entity: layout.leftEntity.wireName,
                property: layout.relationship.wireProperty,
                value: .reference(try transaction.recordID(of: right)), lost: tag.stamp,
                winner: stamp)
            unseenValues.append(UnseenValue(write: write))
        }
    }

    /// The version up to which the author of a deletion has seen a property or a link of the
    /// deleted record; `nil` if everything was seen.
    private func seenVersion(
        of loss: DiscardedWrite, deletedWith id: LocalID, _ layout: EntityLayout
    ) throws -> RowVersion? {
        let shown = shownBy[id] ?? id
        let slots = layout.slots(of: loss.property)
        guard loss.kind == .linkToDeleted, case .reference(let right) = loss.value else {
            return seenVersions[shown]?.oldest(of: slots)
        }
        let other = loss.record == id ? try transaction.localID(of: right) : loss.record
        return slots.compactMap { seenLinks[shown]?[$0]?[shownBy[other] ?? other] }.min()
    }

    /// True if links may have been added after they were seen.
    func lacksLinks(_ seen: SeenLinks) -> Bool {
        seen.oldest.map { $0.position < transaction.formerPosition } ?? false
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
        var recorded: Set<StoredWrite> = []
        for var value in unseenValues where try recorded.insert(storedWrite(value.write)).inserted {
            if let (property, layout) = value.overwritten {
                guard let winning = try shownValue(of: property, layout, value.write.record)
                else { continue }
                value.write.winningValue = winning
                if winning == value.write.value { continue }
            }
            try transaction.journal.record(value.write)
        }
    }

    /// The value that the object of a record shows after the save; `nil` if it is deleted.
    private func shownValue(
        of property: TableLayout.Property, _ layout: EntityLayout, _ record: LocalID
    ) throws -> PropertyValue? {
        let visible = try transaction.views.mergedDuplicates.visible(of: record)
        guard let row = try RowReader(transaction, layout: layout).row(visible ?? record) else {
            return nil
        }
        // The deferred rows have the state of the members, and the row their merge.
        guard visible == nil else { return try row.wireValue(of: property, transaction) }
        return try ChangeSetMerge(transaction).shownValue(of: property, in: row)
    }
}

extension SaveOperation {
    /// The name of a discarded write, under the property that shows it.
    private func storedWrite(_ write: DiscardedWrite) throws -> StoredWrite {
        let shown = schema.shown(
            write.value, in: write.property, of: try transaction.recordID(of: write.record),
            write.entity)
        return StoredWrite(
            record: write.record, property: shown.property,
            right: ConflictEntry.isLink(write.kind, write.property) ? write.value : nil,
            stamp: write.lost)
    }
}

extension [Int: RowVersion] {
    func oldest(of slots: [Int]) -> RowVersion? {
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
