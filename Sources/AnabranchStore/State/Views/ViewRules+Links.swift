import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

// Links of merged duplicates. The state of every link that has one of them as an end is kept among
// the deferred rows; the link tables have the links that are visible.
extension ViewRules {
    private var deferred: DeferredRows { transaction.deferred }

    private struct Ends: Hashable {
        let layout: ObjectIdentifier
        let left: LocalID
        let right: LocalID
    }

    /// The table of a link that is among the deferred rows; `nil` if the model does not know the
    /// relationship.
    private func layout(
        of property: WireProperty, from left: LocalID, _ deferred: DeferredRows
    ) throws -> LinkLayout? {
        let candidates = schema.syncedLinkLayouts.filter {
            $0.relationship.wireProperty == property
        }
        guard !candidates.isEmpty else { return nil }
        let held = transaction.held
        let entity =
            try held.entity(of: left)
            ?? deferred.entity(of: left).flatMap { schema.entity(wireName: $0) }
        guard let entity else { return nil }
        return candidates.first { entity.isKind(of: $0.leftEntity) }
    }

    /// Moves a record's links from their tables to the deferred rows.
    func deferLinks(of id: LocalID, visible: LocalID, _ layout: EntityLayout) throws {
        let rows = LinkRows(connection)
        let deferred = deferred
        for links in layout.leftLinks + layout.rightLinks {
            for row in try rows.all(of: id, in: links) {
                let others = try [row.left, row.right].filter {
                    let shown = try mergedDuplicates.visible(of: $0)
                    return shown != nil && shown != visible
                }
                if others.isEmpty {
                    let tags = transaction.replicas.linkTags(row.tags)
                    try deferred.changeLink(
                        links.relationship.wireProperty, left: row.left, right: row.right,
                        replicas: transaction.replicas
                    ) {
                        $0 = tags
                        return true
                    }
                }
                try rows.set([], left: row.left, right: row.right, in: links)
            }
        }
    }

    /// Moves a record's links back into their tables, except links to a record that is still a
    /// merged duplicate.
    func restoreLinks(of id: LocalID) throws {
        let deferred = deferred
        for (property, link) in try deferred.links(of: id) {
            guard try mergedDuplicates.visible(of: link.left) == nil,
                try mergedDuplicates.visible(of: link.right) == nil,
                let layout = try layout(of: property, from: link.left, deferred)
            else { continue }
            try LinkRows(connection).set(link.tags, left: link.left, right: link.right, in: layout)
            try deferred.changeLink(
                property, left: link.left, right: link.right, replicas: transaction.replicas
            ) {
                $0 = LinkTags()
                return true
            }
        }
    }

    /// Shows the links of merged duplicates between the surviving records. Links with the same
    /// visible ends become one link with all their tags.
    func showLinks(of ids: Set<LocalID>) throws {
        let deferred = deferred
        var shown: [Ends: (layout: LinkLayout, tags: LinkTags)] = [:]
        for id in ids {
            for (property, link) in try deferred.links(of: id) {
                guard let layout = try layout(of: property, from: link.left, deferred) else {
                    continue
                }
                var (left, right) = (try mapped(link.left), try mapped(link.right))
                var tags = link.tags
                guard try fits(left, layout.leftEntity), try fits(right, layout.rightEntity)
                else { continue }
                if layout.isSymmetric,
                    try transaction.recordID(of: right) < transaction.recordID(of: left)
                {
                    (left, right) = (right, left)
                    tags = tags.map { tag in
                        LocalTag(
                            stamp: tag.stamp,
                            place: LinkPosition(
                                inLeft: tag.place.inRight, inRight: tag.place.inLeft))
                    }
                }
                let ends = Ends(layout: ObjectIdentifier(layout), left: left, right: right)
                var all = shown[ends]?.tags ?? LinkTags()
                for tag in transaction.replicas.linkTags(tags).all {
                    _ = all.add(tag.stamp, at: tag.place)
                }
                shown[ends] = (layout, all)
            }
        }
        for (ends, link) in shown {
            try LinkRows(connection).set(
                try transaction.localTags(link.tags), left: ends.left, right: ends.right,
                in: link.layout)
        }
    }

    private func fits(_ id: LocalID, _ entity: EntityDescription) throws -> Bool {
        try StoreReader(connection, schema: schema).entity(of: id, in: entity.root)?
            .isKind(of: entity) ?? true
    }
}
