import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

// Links that former relationships show. A save that removes such a link writes that to the former
// relationship, because only there it is held. So replicas of an earlier version see it too.
extension SaveOperation {
    /// The former links that show as a link of the model.
    func formerLinks(
        _ left: LocalID, _ right: LocalID, in layout: LinkLayout
    ) throws -> [(link: FormerLinkRows.Link, owner: EntityDescription, side: LinkSide)] {
        guard !deferred.isEmpty, !isUnsynced else { return [] }
        return try FormerLinkRows(connection).links(between: left, right).compactMap { link in
            guard let owner = try transaction.held.entity(of: link.owner),
                let side = schema.layout(of: owner).linkSides[link.name], side.layout === layout
            else { return nil }
            return (link, owner, side)
        }
    }

    /// Removes a link from the former relationships that show it.
    mutating func removeFormerLinks(
        _ left: LocalID, _ right: LocalID, in layout: LinkLayout
    ) throws {
        let found = try formerLinks(left, right, in: layout)
        guard !found.isEmpty else { return }
        for (link, owner, side) in found {
            try clearReferences(of: link, owner, side)
            try unlink(link, owner, side)
        }
        transaction.views.registerFormerLinks(of: [left, right])
    }

    /// Writes null to the former to-ones of an owner that refer to the other end.
    private mutating func clearReferences(
        of link: FormerLinkRows.Link, _ owner: EntityDescription, _ side: LinkSide
    ) throws {
        let target = try transaction.recordID(of: link.other)
        let record = try transaction.recordID(of: link.owner)
        for cell in try deferred.wireCells(of: link.owner) {
            guard side.shows(cell.property), ListEntry.target(of: cell.value) == target else {
                continue
            }
            let stamp = try wireStamp(stamp)
            try deferred.change(cell.property, of: link.owner) {
                _ = $0.write(.null, to: cell.property, stamp: stamp)
            }
            encoder.append(
                .update(
                    RowBlock(
                        entity: owner.wireName, records: [record], properties: [cell.property],
                        columns: [[.null]])))
            try cutIfFull()
        }
    }

    private mutating func unlink(
        _ link: FormerLinkRows.Link, _ owner: EntityDescription, _ side: LinkSide
    ) throws {
        for (property, held) in try deferred.links(of: link.owner) {
            guard held.left == link.owner, held.right == link.other, side.shows(property) else {
                continue
            }
            let tags = try held.tags.map { try wireStamp($0.stamp) }
            try deferred.changeLink(
                property, left: held.left, right: held.right, replicas: transaction.replicas
            ) { $0.remove(tags) }
            let ends = LinkBlock.Link(
                left: try transaction.recordID(of: held.left),
                right: try transaction.recordID(of: held.right), observedTags: tags)
            encoder.append(
                .unlink(LinkBlock(entity: owner.wireName, property: property, links: [ends])))
            try cutIfFull()
        }
    }
}
