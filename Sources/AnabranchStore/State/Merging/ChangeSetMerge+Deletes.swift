import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

extension ChangeSetMerge {
    mutating func delete(_ block: RecordBlock, of set: IncomingSet) throws {
        let layout = schema.recordLayout(named: block.entity)
        let writer = try layout.map { try RowWriter(transaction, layout: $0) }
        for record in block.records {
            let id = try transaction.localID(of: record)
            guard let row = try writer?.heldRow(id) else {
                try deleteDeferred(id, entity: block.entity, of: set)
                continue
            }
            try delete(row, of: set)
        }
    }

    private mutating func delete(_ row: HeldRow, of set: IncomingSet) throws {
        let links = row.layout.leftLinks + row.layout.rightLinks
        try journalWrites(unseenBy: set, in: row)
        try journalDeferred(
            unseenBy: set, id: row.id, entity: row.layout.entity.wireName, besides: row.layout)
        try journalLinks(unseenBy: set, of: row.id, in: links)
        try changes.addNeighbours(of: row, StoreReader(connection, schema: schema))
        try connection.run(row.layout.deleteSQL, .integer(row.id))
        try LinkRows(connection).removeAll(of: row.id, in: links)
        try deferred.removeProperties(of: row.id)
        changes.addDeleted(row.id, of: row.layout.entity)
    }

    /// Records writes that the deleting replica had not seen; they are lost with the record.
    private func journalWrites(unseenBy set: IncomingSet, in row: HeldRow) throws {
        for property in row.layout.properties {
            guard let position = row.writes[property.number] else { continue }
            let held = try logStamps[position]
            guard try journal.isConcurrent(held, with: set) else { continue }
            try journal.record(
                .init(
                    kind: .deletedWhileWritten, record: row.id, entity: row.layout.entity.wireName,
                    property: property.wire, value: try shownValue(of: property, in: row),
                    lost: held, winner: set.stamp))
        }
    }

    /// Deletes a record that has no row, and everything that belongs to it.
    ///
    /// Such a record is dead, or its entity is abstract or not in the model.
    private func deleteDeferred(_ id: LocalID, entity: WireName, of set: IncomingSet) throws {
        guard try deferred.entity(of: id) == entity else { return }
        try journalDeferred(unseenBy: set, id: id, entity: entity)
        // A known relationship may link a record of an unknown sub-entity.
        try journalLinks(unseenBy: set, of: id, in: schema.syncedLinkLayouts)
        try LinkRows(connection).removeAll(of: id, in: schema.syncedLinkLayouts)
        try deferred.delete(id)
    }

    private func journalLinks(
        unseenBy set: IncomingSet, of id: LocalID, in layouts: [LinkLayout]
    ) throws {
        for layout in layouts {
            for link in try LinkRows(connection).all(of: id, in: layout) {
                try journal(
                    link, of: layout.relationship.wireProperty,
                    entity: layout.leftEntity.wireName, unseenBy: set)
            }
        }
    }

    private func journal(
        _ link: LinkRows.Row, of property: WireProperty, entity: WireName,
        unseenBy set: IncomingSet
    ) throws {
        for tag in link.tags.map(\.stamp) where try journal.isConcurrent(tag, with: set) {
            try journal.record(
                .init(
                    kind: .linkToDeleted, record: link.left, entity: entity, property: property,
                    value: .reference(try transaction.recordID(of: link.right)), lost: tag,
                    winner: set.stamp))
        }
    }

    /// Records the loss of deferred cells and links.
    ///
    /// - Parameter layout: The layout of the record's row, which has the values of its attribute
    ///   groups.
    private func journalDeferred(
        unseenBy set: IncomingSet, id: LocalID, entity: WireName,
        besides layout: EntityLayout? = nil
    ) throws {
        for cell in try deferred.cells(of: id)
        where try journal.isConcurrent(cell.stamp, with: set) {
            guard layout?.property(cell.property)?.group == nil else { continue }
            try journal.record(
                .init(
                    kind: .deletedWhileWritten, record: id, entity: entity,
                    property: cell.property, value: cell.value, lost: cell.stamp,
                    winner: set.stamp))
        }
        for (property, link) in try deferred.links(of: id) {
            try journal(link, of: property, entity: entity, unseenBy: set)
        }
    }
}
