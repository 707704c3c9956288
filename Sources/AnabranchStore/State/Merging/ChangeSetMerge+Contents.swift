import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// A record with everything that is deleted with it.
struct RecordContents {
    let id: LocalID
    let entity: WireName
    /// The relationships that may have links of the record.
    let links: [LinkLayout]
    /// The record's row; `nil` if all its values are among the deferred cells.
    private(set) var row: HeldRow?

    init(id: LocalID, entity: WireName, links: [LinkLayout]) {
        self.id = id
        self.entity = entity
        self.links = links
    }

    init(_ row: HeldRow) {
        self.init(
            id: row.id, entity: row.layout.entity.wireName,
            links: row.layout.leftLinks + row.layout.rightLinks)
        self.row = row
    }
}

extension ChangeSetMerge {
    /// Visits the values and links of a record.
    ///
    /// - Parameter body: Gets the stamp of each write, and returns what is lost with the record if
    ///   its deletion has not seen the write.
    func forEach(
        in contents: RecordContents,
        _ body: (LocalStamp, () throws -> DiscardedWrite) throws -> Void
    ) throws {
        if let row = contents.row {
            for property in row.layout.properties {
                guard let position = row.writes[property.number] else { continue }
                let stamp = try logStamps[position]
                try body(stamp) {
                    contents.lost(
                        property.wire, try shownValue(of: property, in: row), writtenBy: stamp)
                }
            }
        }
        for cell in try deferred.cells(of: contents.id) {
            // The row has the values of attribute groups.
            guard contents.row?.layout.property(cell.property)?.group == nil else { continue }
            try body(cell.stamp) {
                contents.lost(cell.property, cell.value, writtenBy: cell.stamp)
            }
        }
        for layout in contents.links {
            let entity = layout.leftEntity.wireName
            for link in try LinkRows(connection).all(of: contents.id, in: layout) {
                try forEach(link, of: layout.relationship.wireProperty, entity, body)
            }
        }
        for (property, link) in try deferred.links(of: contents.id) {
            try forEach(link, of: property, contents.entity, body)
        }
    }

    private func forEach(
        _ link: LinkRows.Row, of property: WireProperty, _ entity: WireName,
        _ body: (LocalStamp, () throws -> DiscardedWrite) throws -> Void
    ) throws {
        for tag in link.tags {
            try body(tag.stamp) {
                DiscardedWrite(
                    kind: .linkToDeleted, record: link.left, entity: entity, property: property,
                    value: .reference(try transaction.recordID(of: link.right)), lost: tag.stamp)
            }
        }
    }
}

extension RecordContents {
    fileprivate func lost(
        _ property: WireProperty, _ value: PropertyValue, writtenBy stamp: LocalStamp
    ) -> DiscardedWrite {
        DiscardedWrite(
            kind: .deletedWhileWritten, record: id, entity: entity, property: property,
            value: value, lost: stamp)
    }
}
