// Rewrites the records and the stamps that operations mention.
extension Rewriting {
    func rewritten(_ block: ChangeBlock) -> ChangeBlock {
        switch block {
        case .insert(let rows): .insert(rewritten(rows))
        case .update(let rows): .update(rewritten(rows))
        case .add(let rows): .add(rewritten(rows))
        case .write(let block): .write(rewritten(block))
        case .delete(let deleted):
            .delete(RecordBlock(entity: deleted.entity, records: deleted.records.map(rewritten)))
        case .yieldingDelete(let block): .yieldingDelete(rewritten(block))
        case .link(let links): .link(rewritten(links))
        case .unlink(let links): .unlink(rewritten(links))
        case .move(let links): .move(rewritten(links))
        case .unknown: block
        }
    }

    private func rewritten(_ rows: RowBlock) -> RowBlock {
        RowBlock(
            entity: rows.entity, records: rows.records.map(rewritten), properties: rows.properties,
            columns: rows.columns.map { $0.mapNonNull(rewritten) })
    }

    private func rewritten(_ block: SiblingBlock) -> SiblingBlock {
        SiblingBlock(
            entity: block.entity, property: block.property,
            writes: block.writes.map {
                .init(
                    record: rewritten($0.record), value: rewritten($0.value),
                    observedTags: rewritten($0.observedTags))
            })
    }

    private func rewritten(_ block: YieldingDeleteBlock) -> YieldingDeleteBlock {
        YieldingDeleteBlock(
            entity: block.entity,
            deletes: block.deletes.map {
                .init(record: rewritten($0.record), stampsSeen: rewritten($0.stampsSeen))
            })
    }

    private func rewritten(_ links: LinkBlock) -> LinkBlock {
        var links = links
        for index in links.links.indices {
            let link = links.links[index]
            let (left, right) = (rewritten(link.left), rewritten(link.right))
            let isTurned = links.property.type == .mutualLinks && right < left
            links.links[index] = LinkBlock.Link(
                left: isTurned ? right : left, right: isTurned ? left : right,
                observedTags: rewritten(link.observedTags),
                place: isTurned ? link.place.turned : link.place
            )
        }
        return links
    }

    /// Rewrites the references in a value, also those within an attribute group.
    package func rewritten(_ value: PropertyValue) -> PropertyValue {
        switch value {
        case .reference(let record): .reference(rewritten(record))
        case .group(let group): .group(rewritten(group))
        default: value
        }
    }

    /// Rewrites the members of a group. Names and types stay, and so does the order.
    private func rewritten(_ group: GroupValue) -> GroupValue {
        GroupValue(
            ordered: group.members.map {
                .init(name: $0.name, type: $0.type, value: rewritten($0.value))
            })
    }
}
