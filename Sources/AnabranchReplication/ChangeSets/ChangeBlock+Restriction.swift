extension ChangeBlock {
    /// Returns the part of the block that changes the included records: their rows, and the links
    /// that have one of them at an end.
    ///
    /// - Returns: `nil` if nothing of the block does. An operation of a later format is left out.
    package func restricted(to isIncluded: (RecordID) -> Bool) -> ChangeBlock? {
        switch self {
        case .insert(let rows): rows.restricted(to: isIncluded).map(ChangeBlock.insert)
        case .update(let rows): rows.restricted(to: isIncluded).map(ChangeBlock.update)
        case .add(let rows): rows.restricted(to: isIncluded).map(ChangeBlock.add)
        case .write(let block): block.restricted(to: isIncluded).map(ChangeBlock.write)
        case .delete(let deleted): deleted.restricted(to: isIncluded).map(ChangeBlock.delete)
        case .yieldingDelete(let block):
            block.restricted(to: isIncluded).map(ChangeBlock.yieldingDelete)
        case .link(let links): links.restricted(to: isIncluded).map(ChangeBlock.link)
        case .unlink(let links): links.restricted(to: isIncluded).map(ChangeBlock.unlink)
        case .move(let links): links.restricted(to: isIncluded).map(ChangeBlock.move)
        case .unknown: nil
        }
    }

    /// The records that the block changes. A link changes the records at both its ends.
    package var touchedRecords: [RecordID] {
        switch self {
        case .insert(let rows), .update(let rows), .add(let rows): rows.records
        case .write(let block): block.writes.map(\.record)
        case .delete(let deleted): deleted.records
        case .yieldingDelete(let block): block.deletes.map(\.record)
        case .link(let links), .unlink(let links), .move(let links):
            links.links.flatMap { [$0.left, $0.right] }
        case .unknown: []
        }
    }

    /// The stamps that the author of the block saw and that the block removes or deletes.
    package var seenStamps: [Stamp] {
        switch self {
        case .write(let block): block.writes.flatMap(\.observedTags)
        case .yieldingDelete(let block): block.deletes.flatMap(\.stampsSeen)
        case .link(let links), .unlink(let links), .move(let links):
            links.links.flatMap(\.observedTags)
        case .insert, .update, .add, .delete, .unknown: []
        }
    }
}

extension RowBlock {
    fileprivate func restricted(to isIncluded: (RecordID) -> Bool) -> RowBlock? {
        let places = records.indices.filter { isIncluded(records[$0]) }
        guard places.count < records.count else { return self }
        guard !places.isEmpty else { return nil }
        return RowBlock(
            entity: entity, records: places.map { records[$0] }, properties: properties,
            columns: columns.map { column in ValueColumn(places.lazy.map { column[$0] }) })
    }
}

extension RecordBlock {
    fileprivate func restricted(to isIncluded: (RecordID) -> Bool) -> RecordBlock? {
        let kept = records.filter(isIncluded)
        return kept.isEmpty ? nil : RecordBlock(entity: entity, records: kept)
    }
}

extension SiblingBlock {
    fileprivate func restricted(to isIncluded: (RecordID) -> Bool) -> SiblingBlock? {
        let kept = writes.filter { isIncluded($0.record) }
        guard !kept.isEmpty else { return nil }
        return SiblingBlock(entity: entity, property: property, writes: kept)
    }
}

extension YieldingDeleteBlock {
    fileprivate func restricted(to isIncluded: (RecordID) -> Bool) -> YieldingDeleteBlock? {
        let kept = deletes.filter { isIncluded($0.record) }
        return kept.isEmpty ? nil : YieldingDeleteBlock(entity: entity, deletes: kept)
    }
}

extension LinkBlock {
    fileprivate func restricted(to isIncluded: (RecordID) -> Bool) -> LinkBlock? {
        let kept = links.filter { isIncluded($0.left) || isIncluded($0.right) }
        guard !kept.isEmpty else { return nil }
        return LinkBlock(entity: entity, property: property, links: kept)
    }
}
