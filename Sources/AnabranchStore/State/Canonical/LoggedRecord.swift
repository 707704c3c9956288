import AnabranchModel
package import AnabranchReplication
import AnabranchSQLite

/// A record as the change sets in a file's log describe it, merged as if it had not been deleted.
package struct LoggedRecord {
    /// A link of the record, which may be its left or its right end.
    package struct Link: Hashable {
        package let entity: WireName
        package let property: WireProperty
        package let left: RecordID
        package let right: RecordID
    }

    /// Indicates whether the log has the record's insert, so that no value is missing.
    package private(set) var isWhole = false
    private var merged = RecordCells()
    private var tags: [Link: LinkTags] = [:]

    /// Creates a record of which nothing is known.
    package init() {}

    /// The values. Writes of a former property are among those of the property that shows them.
    package var cells: [CanonicalRecord.Cell] { merged.cells }
    package var links: [Link] { tags.filter { !$0.value.isEmpty }.map(\.key) }
}

extension Store {
    /// Reads the whole log for one record.
    package func loggedRecord(_ id: RecordID) throws -> LoggedRecord {
        try read { reader in
            var record = LoggedRecord()
            let parts = PartTable(reader.connection)
            let log = ChangeLog(connection: reader.connection, replicas: try reader.replicas())
            try log.forEach(after: 0) { entry in
                let set = entry.changeSet
                // A change set that cannot be decoded was not applied.
                do {
                    try set.forEachBlock(parts) { block in
                        guard let part = block.restricted(to: { $0 == id }) else { return }
                        record.merge(part, by: set.stamp, schema)
                    }
                } catch is ChangeSetDecodingError {}
            }
            return record
        }
    }
}

extension LoggedRecord {
    fileprivate mutating func merge(_ block: ChangeBlock, by stamp: Stamp, _ schema: StoreSchema) {
        switch block {
        case .insert(let rows):
            isWhole = true
            merge(rows, by: stamp, schema)
        case .update(let rows): merge(rows, by: stamp, schema)
        case .add(let rows):
            for (property, column) in zip(rows.properties, rows.columns)
            where property.isMergeable {
                for delta in column { merged.add(delta, to: property, stamp: stamp) }
            }
        case .write(let block):
            for write in block.writes where block.property.isMergeable {
                merged.write(
                    write.value, to: block.property, stamp: stamp, seeing: write.observedTags)
            }
        case .link(let links):
            change(links) { $0.add(stamp, at: $1.place) }
        case .move(let links):
            change(links) { $0.move($1.observedTags, to: $1.place, tag: stamp) }
        case .unlink(let links):
            change(links) { $0.remove($1.observedTags) }
        case .delete, .yieldingDelete, .unknown: break
        }
    }

    private mutating func merge(_ rows: RowBlock, by stamp: Stamp, _ schema: StoreSchema) {
        for (property, column) in zip(rows.properties, rows.columns) {
            for (record, value) in zip(rows.records, column) {
                let shown = schema.shown(value, in: property, of: record, rows.entity)
                guard shown.property.isMergeable else { continue }
                _ = merged.write(shown.value, to: shown.property, stamp: stamp)
            }
        }
    }

    private mutating func change(
        _ block: LinkBlock, _ merge: (inout LinkTags, LinkBlock.Link) -> Bool
    ) {
        for link in block.links {
            let name = Link(
                entity: block.entity, property: block.property, left: link.left, right: link.right)
            _ = merge(&tags[name, default: LinkTags()], link)
        }
    }
}
